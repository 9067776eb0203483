/** A line that `jsonLines()` wrote, as far as the waterfall uses it. */
export interface LogLine {
  /** When it was written, in epoch milliseconds. */
  readonly at: number;
  /** The type of the event, such as `claimed`. */
  readonly message: string;
  readonly requestId: string;
  readonly recordId: string;
  /** The hash of the key; empty for events of the whole batch. */
  readonly keyHash: string;
  readonly attempt: number;
  readonly durationMs?: number;
  /** The attempts of a line about several. */
  readonly ends: readonly Pick<LogLine, 'keyHash' | 'recordId' | 'attempt'>[];
}

/** Returns the line in a text of a log, which may begin with a prefix of its own; undefined for other texts. */
export function logLine(text: string): LogLine | undefined {
  const fields = objectIn(text);
  const at = Date.parse(textOf(fields?.['timestamp']));
  if (fields === undefined || Number.isNaN(at) || typeof fields['message'] !== 'string') return undefined;
  const { durationMs, ends } = fields;
  return {
    ...attemptOf(fields),
    at,
    message: fields['message'],
    requestId: textOf(fields['requestId']),
    ...(typeof durationMs === 'number' && durationMs >= 0 && { durationMs }),
    ends: Array.isArray(ends) ? ends.filter(isObject).map(attemptOf) : [],
  };
}

function attemptOf(fields: Readonly<Record<string, unknown>>): LogLine['ends'][number] {
  const { key, recordId, attempt } = fields;
  return {
    keyHash: textOf(key),
    recordId: textOf(recordId),
    attempt: typeof attempt === 'number' ? attempt : 0,
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const from = text.indexOf('{');
  if (from === -1) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
