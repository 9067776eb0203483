import type * as Lambda from '@aws-sdk/client-lambda';
import { PermanentError } from '../attempts/errors.ts';
import type { RecordContext, RecordHandler } from '../batch/record-handler.ts';
import { ConfigurationError } from '../base/errors.ts';
import { loadedOnce } from '../base/loaded-once.ts';
import { aFunction, type Check, checkOptionsOf, objectWith, required } from '../options/check-options.ts';
import type { BatchRecord } from '../sources/record.ts';
import { startError } from './errors.ts';
import { bodyText, executionNameOf, isExecutionName, payloadText } from './execution.ts';

type Client = Pick<Lambda.LambdaClient, 'send'>;

/**
 * Options of `startDurable`.
 *
 * @typeParam Body The type of the record's body.
 */
export interface StartDurableOptions<Body = unknown> {
  /** The durable function's name, partial ARN or ARN, with an optional qualifier: `fulfil-order:live`. */
  readonly functionName: string;
  /**
   * The version, alias or `$LATEST`. Required if `functionName` ends with none: Lambda starts durable
   * functions only by a qualified name. Default: the one in `functionName`.
   */
  readonly qualifier?: string;
  /** The Lambda client. Default: one for the environment's region, created when first needed. */
  readonly client?: Client;
  /**
   * Returns the execution name: 1 to 64 letters, digits, hyphens and underscores, equal for every delivery of
   * a key. Default: the namespace and a hash of the function and the idempotency key.
   *
   * @param record The record.
   * @param context The context of the attempt, with the idempotency key.
   */
  readonly executionName?: (record: BatchRecord<Body>, context: RecordContext) => string;
  /**
   * Returns the payload, up to 1 MB as JSON. It must be equal for every delivery of a key: no times, message
   * ids or trace ids. Default: the record's body.
   *
   * @param record The record.
   */
  readonly payload?: (record: BatchRecord<Body>) => unknown;
}

/**
 * Returns a record handler that starts one durable execution of AWS Lambda for each record, asynchronously.
 * The execution's name is derived from the idempotency key, so a delivery after a crash finds the execution
 * that was already started. The record is completed when Lambda has accepted the execution, before the
 * execution ends; the result is the execution's ARN. A name that was used with another payload parks the
 * claim (`BATCHLATCH_EXECUTION_MISMATCH`). Requires `@aws-sdk/client-lambda` and `lambda:InvokeFunction`.
 * Throws a `ConfigurationError` for invalid options.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/durable-execution-idempotency.html
 *
 * @typeParam Body The type of the record's body.
 * @param options The function to start, and its payload.
 *
 * @example
 * createBatchProcessor(startDurable({ functionName: 'fulfil-order', qualifier: 'live' }));
 */
export function startDurable<Body = unknown>(
  options: StartDurableOptions<Body>,
): RecordHandler<Body, BatchRecord<Body>> {
  checkOptionsOf('startDurable', options, checks);
  const { executionName, payload, client } = options;
  const target = targetOf(options);
  const load = loadedOnce(() => loadSdk(client));

  return async (record: BatchRecord<Body>, context: RecordContext): Promise<string> => {
    const { signal, idempotencyKey } = context;
    const name: unknown =
      executionName === undefined
        ? executionNameOf(idempotencyKey, target.bareName)
        : executionName(record, context);
    if (!isExecutionName(name)) {
      throw new ConfigurationError(
        'startDurable: Expected `executionName` to return 1 to 64 letters, digits, hyphens and underscores',
      );
    }
    const text = payload === undefined ? bodyText(record) : payloadText(payload(record));
    return start(await load(), target, name, text, signal);
  };
}

async function start(
  { lambda, client }: Awaited<ReturnType<typeof loadSdk>>,
  { functionName, qualifier }: ReturnType<typeof targetOf>,
  name: string,
  payload: string,
  signal: AbortSignal,
): Promise<string> {
  let arn: string | undefined;
  try {
    const command = new lambda.InvokeCommand({
      FunctionName: functionName,
      Qualifier: qualifier,
      InvocationType: 'Event',
      DurableExecutionName: name,
      Payload: payload,
    });
    ({ DurableExecutionArn: arn } = await client.send(command, { abortSignal: signal }));
  } catch (thrown) {
    signal.throwIfAborted();
    throw startError(thrown, `${functionName}:${qualifier}`, name);
  }
  // The function was invoked, so another delivery must not invoke it again.
  if (arn === undefined || arn === '') {
    throw new PermanentError(
      `Lambda invoked ${functionName}:${qualifier} but started no durable execution: the function has no ` +
        'DurableConfig, so another delivery would invoke it again. Set its DurableConfig',
    );
  }
  return arn;
}

async function loadSdk(given: Client | undefined) {
  let lambda: typeof Lambda;
  try {
    lambda = await import('@aws-sdk/client-lambda');
  } catch (cause) {
    throw new ConfigurationError(
      'startDurable needs `@aws-sdk/client-lambda`: npm install @aws-sdk/client-lambda',
      { cause },
    );
  }
  // An older version ignores the name, so every delivery would start another execution.
  if (!('DurableExecutionAlreadyStartedException' in lambda)) {
    throw new ConfigurationError(
      'startDurable needs `@aws-sdk/client-lambda` 3.946.0 or later, which supports durable executions. ' +
        'If the version of the Lambda runtime is older, bundle one',
    );
  }
  const requestHandler = { connectionTimeout: 2_500, requestTimeout: 5_000, throwOnRequestTimeout: true };
  const client: Client = given ?? new lambda.LambdaClient({ requestHandler, maxAttempts: 3 });
  return { lambda, client };
}

const ACCOUNT = /(?:arn:[a-z-]+:lambda:[a-z0-9-]+:)?\d{12}:function:/.source;
const FUNCTION = new RegExp(`^(?:${ACCOUNT})?([A-Za-z0-9_-]{1,64})(?::([$]LATEST|[A-Za-z0-9_-]{1,128}))?$`);
const QUALIFIER = /^(?:\$LATEST|[A-Za-z0-9_-]{1,128})$/;

/** Returns the function to invoke. `bareName`, for hashing, omits account, region and version. */
function targetOf({ functionName, qualifier }: StartDurableOptions<never>) {
  const [, bareName = '', suffix] = FUNCTION.exec(functionName) ?? [];
  if ((suffix === undefined) === (qualifier === undefined)) {
    throw new ConfigurationError(
      suffix === undefined
        ? 'startDurable: Expected `qualifier` to be a version or an alias, because `functionName` ends ' +
            "with none: Lambda starts durable functions only by one, e.g. qualifier: 'live'"
        : 'startDurable: Expected `qualifier` or a `functionName` that ends with one, got both',
    );
  }
  const unqualified = suffix === undefined ? functionName : functionName.slice(0, -suffix.length - 1);
  return { functionName: unqualified, qualifier: qualifier ?? suffix ?? '', bareName };
}

const checks: Readonly<Record<keyof StartDurableOptions, Check>> = {
  functionName: required({
    expected: "a function's name or ARN",
    accepts: (value) => typeof value === 'string' && FUNCTION.test(value),
  }),
  qualifier: {
    expected: 'a version, an alias or `$LATEST`',
    accepts: (value) => typeof value === 'string' && QUALIFIER.test(value),
  },
  client: objectWith('send'),
  executionName: aFunction(),
  payload: aFunction(),
};
