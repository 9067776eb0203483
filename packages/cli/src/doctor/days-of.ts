/** A time in days where it is at least one, else in seconds. */
export function daysOf(seconds: number): string {
  const days = seconds / 86_400;
  return days >= 1 ? `${Number(days.toFixed(2))} days` : `${seconds} s`;
}
