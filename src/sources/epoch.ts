/** Epoch milliseconds of what streams give in seconds; undefined where they give none. */
export function epochMsOfSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined;
}

/** Epoch milliseconds of an ISO 8601 text; undefined where it is none. */
export function epochMsOfText(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
