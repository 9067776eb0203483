/**
 * The program of an execution environment: loads the module that its parent names and runs its handler, one
 * invocation at a time, as Lambda's runtime client does. Imports nothing of this package at run time, so that
 * functions do not see it.
 */
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';
import type { FromFunction, FunctionError, ToFunction } from './ipc-messages.ts';

type Handler = (
  event: unknown,
  context: Context,
  callback: (error?: unknown, result?: unknown) => void,
) => unknown;

/** The exit statuses of Lambda's runtime client. */
const EXIT_STATUS = { notLoaded: 1, rejection: 128, exception: 129 } as const;

/** Hidden from the function: Lambda has no channel to a parent, and a module might send messages on it. */
const send = process.send?.bind(process);
delete process.send;

let handler: Handler | undefined;
let mark = '';
/** Ends the running invocation, if any. */
let endCurrent: ((message: FromFunction) => void) | undefined;
let currentId = '';

process.on('disconnect', () => process.exit());
process.on('message', (message: ToFunction) => {
  switch (message.type) {
    case 'load':
      return void load(message);
    case 'invoke':
      return void invoke(message);
  }
});
process.on('uncaughtException', (error) => crash(error, EXIT_STATUS.exception));
process.on('unhandledRejection', (reason) => {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  const { stack } = error;
  crash(
    Object.assign(new Error(`${error.name}: ${error.message}`), {
      name: 'Runtime.UnhandledPromiseRejection',
      stack,
    }),
    EXIT_STATUS.rejection,
  );
});

async function load({
  module,
  exportName,
  handler: name,
  mark: given,
}: ToFunction & { type: 'load' }): Promise<void> {
  mark = given;
  try {
    handler = handlerIn(await import(pathToFileURL(module).href), exportName, name);
  } catch (error) {
    tell({ type: 'notLoaded', error: shapeOf(namedByRuntime(error)) }, () =>
      process.exit(EXIT_STATUS.notLoaded),
    );
    return;
  }
  tell({ type: 'loaded' });
}

function handlerIn(module: unknown, exportName: string, name: string): Handler {
  const found = member(module, exportName) ?? member(Reflect.get(module as object, 'default'), exportName);
  if (typeof found === 'function') return found as Handler;
  const what = found === undefined ? 'undefined or not exported' : 'not a function';
  throw Object.assign(new Error(`${name} is ${what}`), { name: 'Runtime.HandlerNotFound' });
}

function member(value: unknown, names: string): unknown {
  let found = value;
  for (const name of names.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

function namedByRuntime(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { stack } = error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (error instanceof SyntaxError) {
    return Object.assign(new Error(String(error)), { name: 'Runtime.UserCodeSyntaxError', stack });
  }
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return error;
  return Object.assign(new Error(String(error)), { name: 'Runtime.ImportModuleError', stack });
}

async function invoke(given: ToFunction & { type: 'invoke' }): Promise<void> {
  if (handler === undefined) return;
  const { requestId } = given;
  process.env['_X_AMZN_TRACE_ID'] = given.traceId;
  const context = contextOf(given);
  currentId = requestId;
  let hasEnded = false;
  const end = (message: FromFunction): void => {
    if (hasEnded) return;
    hasEnded = true;
    endCurrent = undefined;
    process.removeListener('beforeExit', nothingLeft);
    process.channel?.ref();
    tell(message);
  };
  const succeed = (result: unknown): void => end(returned(requestId, result));
  const fail = (error: unknown): void => end({ type: 'failed', requestId, error: shapeOf(error) });
  /** The outcome of a callback. It waits until the event loop is empty, unless the function disables that. */
  let atRest: (() => void) | undefined;
  const nothingLeft = (): void => (atRest ?? (() => succeed(null)))();
  const settle = (settlement: () => void): void => {
    if (hasEnded || atRest !== undefined) return;
    if (context.callbackWaitsForEmptyEventLoop) atRest = settlement;
    else settlement();
  };
  Object.assign(context, {
    done: (error: unknown, result: unknown) =>
      settle(() => (error === undefined || error === null ? succeed(result) : fail(error))),
    fail: (error: unknown) => settle(() => fail(error)),
    succeed: (result: unknown) => settle(() => succeed(result)),
  });

  endCurrent = end;
  // From here, only the function keeps the process alive: Node emits `beforeExit` when its work is done.
  process.channel?.unref();
  process.on('beforeExit', nothingLeft);
  try {
    const answer = handler(JSON.parse(given.payload), context, (error, result) =>
      context.done(error as Error, result),
    );
    if (isThenable(answer)) succeed(await answer);
  } catch (error) {
    fail(error);
  }
}

function returned(requestId: string, result: unknown): FromFunction {
  try {
    return { type: 'returned', requestId, payload: JSON.stringify(result) ?? 'null' };
  } catch {
    const error = {
      errorType: 'Runtime.JSONStringifyError',
      errorMessage: 'Unable to stringify response body',
    };
    return { type: 'failed', requestId, error: { ...error, trace: [] } };
  }
}

function contextOf({ requestId, deadline, functionArn }: ToFunction & { type: 'invoke' }): Context {
  const { env } = process;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: env['AWS_LAMBDA_FUNCTION_NAME'] ?? '',
    functionVersion: env['AWS_LAMBDA_FUNCTION_VERSION'] ?? '',
    invokedFunctionArn: functionArn,
    memoryLimitInMB: env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? '',
    awsRequestId: requestId,
    logGroupName: env['AWS_LAMBDA_LOG_GROUP_NAME'] ?? '',
    logStreamName: env['AWS_LAMBDA_LOG_STREAM_NAME'] ?? '',
    getRemainingTimeInMillis: () => deadline - Date.now(),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

/** Ends the running invocation, if any, and the process, after an uncaught error. */
function crash(error: unknown, status: number): void {
  const leave = (): never => process.exit(status);
  if (endCurrent === undefined) {
    writeSync(2, `${error instanceof Error ? error.stack : String(error)}\n`);
    leave();
    return;
  }
  endCurrent = undefined;
  tell({ type: 'failed', requestId: currentId, error: shapeOf(error), exits: true }, leave);
}

function shapeOf(error: unknown): FunctionError {
  if (error instanceof Error) {
    // The members of a thrown error may be of any type.
    const { name, message, stack } = error as Readonly<Record<keyof Error, unknown>>;
    const trace = typeof stack === 'string' ? stack.split('\n') : [];
    return { errorType: textOf(name), errorMessage: textOf(message), trace };
  }
  return { errorType: typeof error, errorMessage: textOf(error), trace: [] };
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Sends a message after a mark on both output streams, which tells the parent that it has all the output. */
function tell(message: FromFunction, then?: () => void): void {
  for (const descriptor of [1, 2]) {
    try {
      writeSync(descriptor, `${mark}\n`);
    } catch {
      // The pipe is full or closed; the parent waits only briefly for the mark.
    }
  }
  send?.(message, undefined, undefined, () => then?.());
}
