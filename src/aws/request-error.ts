import { defined } from '../base/defined.ts';

interface RequestErrorOptions {
  readonly name: string;
  readonly fault?: 'client' | 'server';
  /** Node's code of a connection error, such as `ECONNRESET`. */
  readonly code?: string;
  readonly httpStatusCode?: number;
  readonly requestId?: string | undefined;
  /** The retry delay that the answer asks for. */
  readonly retryAfterMs?: number | undefined;
  /** Whether another try may succeed, beyond the service's error codes, and whether it must wait. */
  readonly again?: 'later' | 'at-once' | undefined;
}

/**
 * A failed request, in the form of the SDK's exceptions. It has no `cause`, because Node's connection errors
 * may contain received data. Members for retries are private, so that they are not logged.
 */
export class RequestError extends Error {
  declare readonly $fault?: 'client' | 'server';
  /** `attempts`: how often the request was sent. */
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
