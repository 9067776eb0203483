/** Returns a time as ISO 8601, or undefined if a damaged row holds an invalid one. */
export function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
