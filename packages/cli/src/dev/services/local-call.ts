import { localHeaders } from '../emulators/aws-probe.ts';

/** Error with which an emulator refused a call. */
export class LocalCallError extends Error {
  /** `ResourceInUseException` or another type of AWS. */
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.name = 'LocalCallError';
    this.type = type;
  }
}

export type Answer = Readonly<Record<string, unknown>>;

/** Longer than the longest poll. */
const CALL_TIMEOUT_MS = 30_000;

/** Calls a local service, such as `AmazonSQS.SendMessage`. Throws a `LocalCallError` if it refuses. */
export async function localCall(
  place: string,
  target: string,
  input: object,
  signal?: AbortSignal,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const response = await fetch(place, {
    method: 'POST',
    headers: localHeaders(target),
    body: JSON.stringify(input),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  const text = await response.text();
  const answer = text === '' ? {} : (JSON.parse(text) as Answer);
  if (response.ok) return answer;
  const { __type: type = `HTTP ${response.status}`, message = '' } = answer as {
    readonly __type?: string;
    readonly message?: string;
  };
  throw new LocalCallError(
    type.slice(type.lastIndexOf('#') + 1),
    `${target} was refused: ${type} ${message}`,
  );
}

/** Returns whether an emulator refused with one of these types. Default: any type. */
export function isRefusal(error: unknown, ...types: readonly string[]): boolean {
  return error instanceof LocalCallError && (types.length === 0 || types.includes(error.type));
}
