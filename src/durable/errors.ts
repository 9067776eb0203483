import { EXECUTION_MISMATCH, PermanentError } from '../attempts/errors.ts';
import { asError } from '../claims/store-errors.ts';
import { BatchlatchError, ConfigurationError } from '../base/errors.ts';

/** An execution of this name has another payload: none is started, the claim is parked. Code: `BATCHLATCH_EXECUTION_MISMATCH`. */
export class ExecutionMismatchError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param name The name of the execution.
   * @param options The answer of Lambda as its `cause`.
   */
  constructor(name: string, options?: { cause?: unknown }) {
    super(
      EXECUTION_MISMATCH,
      `The durable execution ${name} was started before with another payload, so the key stands for other work now`,
      options,
    );
  }
}

/** Lambda did not confirm the execution: the next delivery asks again. Code: `BATCHLATCH_EXECUTION_NOT_STARTED`. */
export class ExecutionNotStartedError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param why What Lambda answered, in words.
   * @param options The answer of Lambda as its `cause`.
   */
  constructor(why: string, options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_EXECUTION_NOT_STARTED',
      `The durable execution was not confirmed by Lambda: ${why}`,
      options,
    );
  }
}

/** The name of the error in the API, and the one in Lambda's developer guide. */
const EXISTS = new Set(['DurableExecutionAlreadyStartedException', 'DurableExecutionAlreadyExists']);

const TOO_LARGE = new Set(['RequestTooLargeException', 'SerializedRequestEntityTooLargeException']);

/** What only another configuration or permission can help, and what to do. */
const MISCONFIGURED: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'There is no such function, version or alias',
  NoPublishedVersionException: 'The function has no published version; publish one, or name an alias',
  InvalidParameterValueException:
    'Lambda refuses the request. Durable functions are invoked with a version, an alias or $LATEST (`qualifier`)',
  ModeNotSupportedException: 'The function cannot be invoked asynchronously',
  RecursiveInvocationException: 'The function is invoked in a loop',
  AccessDeniedException:
    'The role needs lambda:InvokeFunction on the version or alias, or on `<function ARN>:*`',
};

/** The error of a record whose execution was asked for with this answer. */
export function startError(thrown: unknown, target: string, executionName: string): Error {
  const { name, code } = asError(thrown) as Error & { readonly code?: unknown };
  if (EXISTS.has(name)) return new ExecutionMismatchError(executionName, { cause: thrown });
  if (TOO_LARGE.has(name)) {
    return new PermanentError(
      'The payload is larger than Lambda takes asynchronously (1 MB); put it into S3 and pass where it is (`payload`)',
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
