export interface RequestMetadata {
  /** How often the request was sent, whatever became of it each time. */
  attempts: number;
  readonly httpStatusCode?: number;
  readonly requestId?: string;
}

export interface RequestErrorOptions {
  readonly name: string;
  readonly fault?: 'client' | 'server';
  /** Of a connection: `ECONNRESET`. */
  readonly code?: string;
  readonly httpStatusCode?: number;
  readonly requestId?: string | undefined;
  /** What the answer said about when to come again. */
  readonly retryAfterMs?: number | undefined;
  /** The answer is worth nothing, but another one may be: it was cut off, or damaged on its way. */
  readonly isPassing?: boolean;
}

/**
 * A request that failed, in the form of the SDK's exceptions. It has no `cause`: Node's errors of connections may hold
 * what was received or sent.
 */
export class RequestError extends Error {
  /** The server's fault may pass by itself. */
  readonly $fault?: 'client' | 'server';
  readonly $metadata: RequestMetadata;
  readonly code?: string;
  readonly #retryAfterMs: number | undefined;
  readonly #isPassing: boolean;

  constructor(message: string, options: RequestErrorOptions) {
    super(message);
    const { name, fault, code, httpStatusCode, requestId, retryAfterMs, isPassing = false } = options;
    this.name = name;
    if (fault !== undefined) this.$fault = fault;
    if (code !== undefined) this.code = code;
    this.$metadata = {
      attempts: 1,
      ...(httpStatusCode !== undefined && { httpStatusCode }),
      ...(requestId !== undefined && { requestId }),
    };
    this.#retryAfterMs = retryAfterMs;
    this.#isPassing = isPassing;
  }

  get retryAfterMs(): number | undefined {
    return this.#retryAfterMs;
  }

  get isPassing(): boolean {
    return this.#isPassing;
  }
}
