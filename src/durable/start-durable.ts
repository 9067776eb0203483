import type * as Lambda from '@aws-sdk/client-lambda';
import { PermanentError } from '../attempts/errors.ts';
import type { RecordContext, RecordHandler } from '../batch/record-handler.ts';
import { ConfigurationError } from '../base/errors.ts';
import { aFunction, type Check, checkOptionsOf, objectWith, required } from '../options/check-options.ts';
import type { BatchRecord } from '../sources/record.ts';
import { startError } from './errors.ts';
import { bodyText, executionNameOf, isExecutionName, payloadText } from './execution.ts';

type Client = Pick<Lambda.LambdaClient, 'send'>;

/**
 * Which durable function is started, and with what.
 *
 * @typeParam Body The type of the record's body.
 */
export interface StartDurableOptions<Body = unknown> {
  /** Name, partial ARN or ARN of the durable function; a version or an alias may follow, as in `fulfil-order:live`. */
  readonly functionName: string;
  /**
   * The version or alias, or `$LATEST`. Required where `functionName` does not end with one: Lambda starts durable
   * functions in no other way. Default: the one in `functionName`.
   */
  readonly qualifier?: string;
  /** Default: a client of its own for the environment's region, made when it is first needed. */
  readonly client?: Client;
  /**
   * The name of the execution: 1 to 64 letters, digits, hyphens and underscores, the same for every delivery of a key.
   * Default: the namespace and a hash of the function and the idempotency key.
   *
   * @param record The record.
   * @param context The context of its attempt, with the idempotency key.
   */
  readonly executionName?: (record: BatchRecord<Body>, context: RecordContext) => string;
  /**
   * What the function gets, as JSON of at most 1 MB. It must be the same for every delivery of a key: no times, no
   * message ids, no trace ids. Default: the record's body.
   *
   * @param record The record.
   */
  readonly payload?: (record: BatchRecord<Body>) => unknown;
}

/**
 * A record handler that starts a durable execution of AWS Lambda for each record, once: asynchronously, under a name that
 * is made of the idempotency key, so that a delivery after a crash finds the execution that was started before it. The
 * record is completed when Lambda has taken the execution, not when the execution has ended; the ARN of the execution is the
 * result. A name that was used with another payload parks the claim (`BATCHLATCH_EXECUTION_MISMATCH`). Needs
 * `@aws-sdk/client-lambda` and `lambda:InvokeFunction`. Throws a `ConfigurationError` for options that cannot work.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/durable-execution-idempotency.html
 *
 * @typeParam Body The type of the record's body.
 * @param options Which function is started, and with what.
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
  let sdk: ReturnType<typeof loadSdk> | undefined;
  const load = (): ReturnType<typeof loadSdk> => {
    sdk ??= loadSdk(client);
    sdk.catch(() => (sdk = undefined)); // a package that is installed later is found
    return sdk;
  };

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
  // It ran: another delivery must not run it again.
  if (arn === undefined || arn === '') {
    throw new PermanentError(
      `Lambda took the invocation of ${functionName}:${qualifier} and started no durable execution: the function has no DurableConfig, so nothing keeps another delivery from invoking it again`,
    );
  }
  return arn;
}

/** An optional peer dependency: functions that start no durable executions need neither install nor load it. */
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
  // An older one leaves the name out, and every delivery would start an execution of its own.
  if (!('DurableExecutionAlreadyStartedException' in lambda)) {
    throw new ConfigurationError(
      'startDurable needs a version of `@aws-sdk/client-lambda` that knows durable executions: 3.946.0 or later. Bundle it, if it is that of the Lambda runtime',
    );
  }
  const requestHandler = { connectionTimeout: 2_500, requestTimeout: 5_000, throwOnRequestTimeout: true };
  const client: Client = given ?? new lambda.LambdaClient({ requestHandler, maxAttempts: 3 });
  return { lambda, client };
}

const FUNCTION =
  /^(?:arn:[a-z-]+:lambda:[a-z0-9-]+:\d{12}:function:|\d{12}:function:)?([A-Za-z0-9_-]{1,64})(?::(\$LATEST|[A-Za-z0-9_-]{1,128}))?$/;
const QUALIFIER = /^(?:\$LATEST|[A-Za-z0-9_-]{1,128})$/;

/** `bareName` is without account, region and version: however the function is named, it is the same one. */
function targetOf({ functionName, qualifier }: StartDurableOptions<never>) {
  const [, bareName = '', suffix] = FUNCTION.exec(functionName) ?? [];
  if ((suffix === undefined) === (qualifier === undefined)) {
    throw new ConfigurationError(
      suffix === undefined
        ? `startDurable: Expected \`qualifier\` to be a version or an alias, because \`functionName\` ends with none: Lambda starts durable functions only by one, e.g. qualifier: 'live'`
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
