/** Returns a time as text: in days from one day up, else in seconds. */
export function daysOf(seconds: number): string {
  const days = seconds / 86_400;
  return days >= 1 ? `${Number(days.toFixed(2))} days` : `${seconds} s`;
}
