/** A time in epoch milliseconds as ISO 8601, or undefined for what is no time: rows may be damaged. */
export function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
