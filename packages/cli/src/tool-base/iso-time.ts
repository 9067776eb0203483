/** Converts epoch milliseconds to ISO 8601. Returns undefined for an invalid time, as in a damaged row. */
export function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
