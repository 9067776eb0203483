const CODES =
  /throttl|TooManyRequests|SlowDown|RequestLimitExceeded|ProvisionedThroughputExceeded|ServiceUnavailable|Timeout|ETIMEDOUT/i;
const STATUSES: ReadonlySet<unknown> = new Set([429, 503]);

/** Whether an error says that a service has too much to do: by its name or code, or by the HTTP status of its answer. */
export function looksOverloaded(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, status, statusCode, $metadata, $retryable } = error as Readonly<
    Record<string, unknown>
  >;
  if ([name, code].some((text) => typeof text === 'string' && CODES.test(text))) return true;
  const { httpStatusCode } = ($metadata ?? {}) as { readonly httpStatusCode?: unknown };
  if ([status, statusCode, httpStatusCode].some((one) => STATUSES.has(one))) return true;
  return ($retryable as { readonly throttling?: unknown } | undefined)?.throttling === true;
}
