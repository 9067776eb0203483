import { forgetSecret, tabSecret } from './tab-secret.ts';

/** An error of the server, or `UNREACHABLE`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Whether it is an outage, of the server, the store or SQS: the same request may be answered later. */
export function isPassing({ status, code }: ApiError): boolean {
  return status === 503 || code === 'UNREACHABLE';
}

/** Query parameters. Undefined and empty ones are omitted. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** Returns the address of a request. */
export function apiPath(name: string, parameters: Parameters = {}): string {
  const given = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return given.length === 0 ? `/api/${name}` : `/api/${name}?${new URLSearchParams(given).toString()}`;
}

/** Sends a GET. Rejects with an `ApiError`, or with the reason of `signal`. */
export function get<Answer>(name: string, parameters?: Parameters, signal?: AbortSignal): Promise<Answer> {
  return request<Answer>(apiPath(name, parameters), signal === undefined ? {} : { signal });
}

/**
 * Sends a POST, for changes and expensive reads. Rejects with an `ApiError`, or with the reason of `signal`.
 */
export function post<Answer>(name: string, body: unknown = {}, signal?: AbortSignal): Promise<Answer> {
  return request<Answer>(apiPath(name), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

async function request<Answer>(path: string, init: AskInit): Promise<Answer> {
  return (await (await open(path, init)).json()) as Answer;
}

/** A page of another origin may not send this header without asking first. */
const OWN_PAGE = { 'x-batchlatch-console': '1' };

type AskInit = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/**
 * Sends a request. Resolves when the answer begins. Rejects with an `ApiError`, or with the signal's reason.
 */
export async function open(path: string, init: AskInit): Promise<Response> {
  const secret = tabSecret();
  const session = secret === undefined ? {} : { 'x-batchlatch-session': secret };
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { ...init.headers, ...session, ...OWN_PAGE } });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, 'UNREACHABLE', 'The console does not answer. Is the command still running?');
  }
  if (response.ok) return response;
  if (response.status === 401) forgetSecret(secret);
  throw await refusal(response);
}

async function refusal(response: Response): Promise<ApiError> {
  const fallback = `The console answered ${response.status}. Load the page again; its log says more.`;
  try {
    const { error } = (await response.json()) as { error?: { code?: string; message?: string } };
    return new ApiError(response.status, error?.code ?? 'UNKNOWN', error?.message ?? fallback);
  } catch {
    return new ApiError(response.status, 'UNKNOWN', fallback);
  }
}
