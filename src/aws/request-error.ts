import { defined } from '../base/defined.ts';

interface RequestErrorOptions {
  readonly name: string;
  readonly fault?: 'client' | 'server';
  /** Node's, of a connection: `ECONNRESET`. */
  readonly code?: string;
  readonly httpStatusCode?: number;
  readonly requestId?: string | undefined;
  /** When to come again, as the answer says. */
  readonly retryAfterMs?: number | undefined;
  /** Besides what the service's own codes say: whether another sending may succeed, and whether it has to wait. */
  readonly again?: 'later' | 'at-once' | undefined;
}

/**
 * A request that failed, in the form of the SDK's exceptions. It has no `cause`: Node's errors of connections may hold what
 * was received. What only retries need to know is private, and so in no log.
 */
export class RequestError extends Error {
  declare readonly $fault?: 'client' | 'server';
  /** `attempts`: how often the request was sent, whatever became of it each time. */
  readonly $metadata: { attempts: number; readonly httpStatusCode?: number; readonly requestId?: string };
  declare readonly code?: string;
  readonly #options: RequestErrorOptions;

  constructor(message: string, options: RequestErrorOptions) {
    super(message);
    const { name, fault, code, httpStatusCode, requestId } = options;
    this.name = name;
    if (fault !== undefined) this.$fault = fault;
    if (code !== undefined) this.code = code;
    this.$metadata = { attempts: 1, ...defined({ httpStatusCode, requestId }) };
    this.#options = options;
  }

  get retryAfterMs(): RequestErrorOptions['retryAfterMs'] {
    return this.#options.retryAfterMs;
  }

  get again(): RequestErrorOptions['again'] {
    return this.#options.again;
  }
}
