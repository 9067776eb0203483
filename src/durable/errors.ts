import { EXECUTION_MISMATCH, PermanentError } from '../attempts/errors.ts';
import { asError } from '../claims/store-errors.ts';
import { BatchlatchError, ConfigurationError } from '../base/errors.ts';

/**
 * `startDurable`: an execution of this name has another payload. The claim is parked. Code:
 * `BATCHLATCH_EXECUTION_MISMATCH`.
 *
 * @remarks Make more of the body part of `key`. `payload` must not change between deliveries.
 */
export class ExecutionMismatchError extends BatchlatchError {
  override name = 'ExecutionMismatchError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param name The name of the execution.
   * @param options Lambda's error as the `cause`.
   */
  constructor(name: string, options?: { cause?: unknown }) {
    super(
      EXECUTION_MISMATCH,
      `The durable execution ${name} was started before with another payload: extend \`key\``,
      options,
    );
  }
}

/**
 * `startDurable`: Lambda throttled the request, failed or did not answer. Code:
 * `BATCHLATCH_EXECUTION_NOT_STARTED`.
 *
 * @remarks None: the next delivery uses the same name, so nothing starts twice.
 */
export class ExecutionNotStartedError extends BatchlatchError {
  override name = 'ExecutionNotStartedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param why The error that Lambda returned.
   * @param options Lambda's error as the `cause`.
   */
  constructor(why: string, options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_EXECUTION_NOT_STARTED',
      `The durable execution was not confirmed by Lambda: ${why}`,
      options,
    );
  }
}

/** The error's name in the API, and its name in Lambda's developer guide. */
const EXISTS = new Set(['DurableExecutionAlreadyStartedException', 'DurableExecutionAlreadyExists']);

const TOO_LARGE = new Set(['RequestTooLargeException', 'SerializedRequestEntityTooLargeException']);

/** Errors that need another configuration or permission, with their remedies. */
const MISCONFIGURED: Readonly<Record<string, string>> = {
  ResourceNotFoundException:
    'There is no such function, version or alias: check `functionName` and `qualifier`',
  NoPublishedVersionException: 'The function has no published version; publish one, or name an alias',
  InvalidParameterValueException:
    'Lambda rejects the request. ' +
    'Durable functions are invoked with a version, an alias or $LATEST (`qualifier`)',
  ModeNotSupportedException: 'The function cannot be invoked asynchronously: name another',
  RecursiveInvocationException: 'The function is invoked in a loop: it must not start itself',
  AccessDeniedException:
    'The role needs lambda:InvokeFunction on the version or alias, or on `<function ARN>:*`',
};

export function startError(thrown: unknown, target: string, executionName: string): Error {
  const { name, code } = asError(thrown) as Error & { readonly code?: unknown };
  if (EXISTS.has(name)) return new ExecutionMismatchError(executionName, { cause: thrown });
  if (TOO_LARGE.has(name)) {
    return new PermanentError(
      "The payload exceeds Lambda's limit for asynchronous invocations (1 MB); " +
        'store it in S3 and pass its location (`payload`)',
      { cause: thrown },
    );
  }
  const remedy = Object.hasOwn(MISCONFIGURED, name) ? MISCONFIGURED[name] : undefined;
  if (remedy !== undefined) {
    return new ConfigurationError(`startDurable: ${target} could not be invoked. ${remedy} (${name})`, {
      cause: thrown,
    });
  }
  const why = name === 'Error' && typeof code === 'string' ? code : name;
  return new ExecutionNotStartedError(why, { cause: thrown });
}
