import type { StandardSchemaV1 } from '@standard-schema/spec';
import { createBatchProcessor, payloadHash, type ProcessorOptions, type ResultStorage } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { withIdempotency } from 'batchlatch/functions';
import { withFetchIdempotency, withHttpIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { checkRedis, type RedisClient } from 'batchlatch/redis';
import { eventBridgeEvent, lambdaContext, manualClock, sqsEvent } from 'batchlatch/testing';
import { restEvent } from '../http/lambda-events.ts';
import * as attempts from '../../src/attempts/errors.ts';
import * as stops from '../../src/attempts/stop-errors.ts';
import { BatchAnswerError } from '../../src/around/gathering.ts';
import { NotReadError, ReadingKillsError } from '../../src/around/reading-errors.ts';
import { standardSchema } from '../../src/around/standard-schema.ts';
import { systemClock } from '../../src/base/clock.ts';
import { noResultStorage } from '../../src/claims/result-storage.ts';
import { notOurs } from '../../src/stores/redis/row.ts';
import { statusIn } from '../../src/claims/row-format.ts';
import { ExecutionMismatchError, ExecutionNotStartedError } from '../../src/durable/errors.ts';
import { ConflictError, ParkedError } from '../../src/functions/errors.ts';
import { messageEncoder } from '../../src/messages/encode-message.ts';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';
import { refusalOfEntry } from '../../src/sender/refusals.ts';
import { UnknownTypeError, UnknownVersionError } from '../../src/routes/errors.ts';
import { UpgradeFailedError } from '../../src/routes/from.ts';
import { UnnamedRecordError } from '../../src/sources/errors.ts';
import type { BatchRecord } from '../../src/sources/record.ts';
import { CommitRefusedError } from '../../src/stores/dynamodb/commit-errors.ts';
import { transactItemsOf } from '../../src/stores/dynamodb/commit-items.ts';
import { toStoreError } from '../../src/stores/dynamodb/failures.ts';
import { loadSdk } from '../../src/stores/dynamodb/sdk/sdk-transport.ts';
import { refusedInTests } from '../../src/stores/dynamodb/table-from-environment.ts';
import { DYNAMODB } from '../../src/stores/dynamodb/transport.ts';
import { notReplicated } from '../../src/stores/redis/script-rows.ts';
import { CONTENDED } from '../../src/stores/rows/conditional-store.ts';
import { contended } from '../../src/stores/rows/decide-in-rounds.ts';
import { resultForms } from '../../src/stores/rows/result-forms.ts';

type Run = () => unknown;

/** Makes an error of each code happen, and returns it. The database's and Lambda's answers are given. */
export const EXAMPLES: Readonly<Record<string, Run>> = {
  BATCHLATCH_ACCESS_DENIED: () =>
    fromDynamoDB('AccessDeniedException', 'not authorized to perform: dynamodb:PartiQLInsert on resource'),
  BATCHLATCH_BATCH_ANSWER: () => new BatchAnswerError(10, [{}]),
  BATCHLATCH_COMMIT_ITEMS: () =>
    thrownBy(() => transactItemsOf([{ Put: {} }], { tableName: 'claims', key: {} })),
  BATCHLATCH_COMMIT_NOT_ALLOWED: () => new attempts.CommitNotAllowedError('stored'),
  BATCHLATCH_COMMIT_REFUSED: () => new CommitRefusedError([{ index: 0, code: 'ConditionalCheckFailed' }]),
  BATCHLATCH_COMMIT_RESULT: () => new attempts.CommitResultError('the body of the response cannot be read'),
  BATCHLATCH_COMPLETION_NOT_STORED: () => new attempts.CompletionNotStoredError({ cause: undefined }),
  BATCHLATCH_CONFIGURATION: () => thrownBy(() => createBatchProcessor(noWork, { concurrency: 0 })),
  BATCHLATCH_CONFLICT: () => new ConflictError(2, 1),
  BATCHLATCH_CONTENDED: () => contended(CONTENDED),
  BATCHLATCH_CREDENTIALS: () =>
    fromDynamoDB('ExpiredTokenException', 'The security token included in the request is expired'),
  BATCHLATCH_DEADLINE: () => new stops.DeadlineError(),
  BATCHLATCH_DECODE: () => recordError({}, '['.repeat(300_000)),
  BATCHLATCH_DEFAULT_STORE_IN_TESTS: () => thrownBy(refusedInTests(() => undefined)),
  BATCHLATCH_EVICTION: evictionProblem,
  BATCHLATCH_EXECUTION_MISMATCH: () => new ExecutionMismatchError('orders-1234'),
  BATCHLATCH_EXECUTION_NOT_STARTED: () => new ExecutionNotStartedError('TooManyRequestsException'),
  BATCHLATCH_INTERRUPTED: () => new stops.InterruptedError({ cause: undefined }),
  BATCHLATCH_INVALID_BODY: () => recordError({ schema: standardSchema(needsAmount) }, '{}'),
  BATCHLATCH_INVALID_MESSAGE: () =>
    thrownBy(() => messageEncoder(messages({ OrderPlaced: message(needsAmount) }))('OrderPlaced', {})),
  BATCHLATCH_ITEM_TOO_LARGE: () =>
    fromDynamoDB('ValidationException', 'Item size has exceeded the maximum allowed size'),
  BATCHLATCH_KEY: () => recordError({ key: payloadHash({ include: ['orderId'] }) }, '{}'),
  BATCHLATCH_KEY_PATH_NEVER_SEEN: () =>
    warningOf(() => {
      const key = payloadHash({ include: ['custmer.id'] });
      return Promise.all(Array.from({ length: 10 }, () => recordError({ key }, '{"customer":{"id":1}}')));
    }),
  BATCHLATCH_LAPSED_LEASE: () => new attempts.LapsedLeaseError(),
  BATCHLATCH_LEASE_LOST: () => new stops.LeaseLostError(),
  BATCHLATCH_MALFORMED_RECORD: () => recordError({}, undefined),
  BATCHLATCH_MISMATCH: () => new attempts.MismatchError(),
  BATCHLATCH_NEWER_ROW: () => thrownBy(() => statusIn('COMPLETED@2:0.9.0', 'orders#v1:1')),
  BATCHLATCH_NOT_A_CLAIM: () => notOurs('orders#v1:1'),
  BATCHLATCH_NOT_READ: () => new NotReadError('killed'),
  BATCHLATCH_NOT_REPLICATED: () => {
    const [answer] = notReplicated([{ key: 'k', args: [] }], [{ status: 'written' }]);
    return answer?.status === 'error' ? answer.error : undefined;
  },
  BATCHLATCH_PARKED: () => new ParkedError({ cause: undefined }),
  BATCHLATCH_PERMANENT: () =>
    recordError({}, '{}', () => {
      throw new attempts.PermanentError('The card is blocked');
    }),
  BATCHLATCH_READING_KILLS: () => new ReadingKillsError(3),
  BATCHLATCH_RECORD_TIMEOUT: () => new stops.RecordTimeoutError(5_000),
  BATCHLATCH_REDELIVER: redelivery,
  BATCHLATCH_RESPONSE_NOT_KEPT: storedResponseError,
  BATCHLATCH_RESPONSE_UNREADABLE: responseError,
  BATCHLATCH_RESULT_NOT_STORED: resultNotStored,
  BATCHLATCH_RESULT_UNAVAILABLE: () => noResultStorage(),
  BATCHLATCH_RETRY_LATER: () => new attempts.RetryLaterError({ delayMs: 60_000 }),
  BATCHLATCH_SCHEMA_FAILED: async () => {
    const end = await standardSchema(broken).check({ body: {} } as BatchRecord);
    return end?.kind === 'threw' ? end.error : undefined;
  },
  BATCHLATCH_SDK_NOT_FOUND: () =>
    thrownBy(() => loadSdk("AWS_RETRY_MODE has a value that only AWS's SDK supports")),
  BATCHLATCH_SEND: () =>
    refusalOfEntry('SQS', { code: 'InvalidMessageContents', message: '', isOurs: true }).error,
  BATCHLATCH_SINGLE_WRITES: () => warningOf(singleWrites),
  BATCHLATCH_STORE: () => fromDynamoDB('InternalServerError', 'The request was not processed'),
  BATCHLATCH_STORE_SILENT: () => DYNAMODB.unanswered('silent'),
  BATCHLATCH_TABLE_NOT_FOUND: () => fromDynamoDB('ResourceNotFoundException', ''),
  BATCHLATCH_TOO_MANY_ATTEMPTS: () => new attempts.TooManyAttemptsError(5),
  BATCHLATCH_TOO_MANY_CRASHES: () => new attempts.TooManyCrashesError(2),
  BATCHLATCH_UNKNOWN_TYPE: () => new UnknownTypeError('OrderShipped'),
  BATCHLATCH_UNKNOWN_VERSION: () => new UnknownVersionError('OrderPlaced', '3', 2),
  BATCHLATCH_UNNAMED_RECORD: () => new UnnamedRecordError(1),
  BATCHLATCH_UNSERIALIZABLE_RESULT: () =>
    thrownBy(() =>
      withIdempotency(async () => ({ paidAt: 1n }), {
        store: memoryStore(),
        namespace: 'charge',
        key: () => 'k',
      })(),
    ),
  BATCHLATCH_UNSUPPORTED_EVENT: () =>
    thrownBy(() => createBatchProcessor(noWork, { store: memoryStore() })({ orderId: 1 }, lambdaContext())),
  BATCHLATCH_UPGRADE_FAILED: () => new UpgradeFailedError(1, { cause: undefined }),
  BATCHLATCH_WORKER_STOPPED: () => new stops.WorkerStoppedError(),
};

const noWork = (): undefined => undefined;

function fromDynamoDB(name: string, message: string): Error {
  return toStoreError({ name, message }, 'claims');
}

async function thrownBy(run: Run): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Processes one message and returns the error that an observer is told. `undefined`: it has no body. */
async function recordError(
  options: ProcessorOptions,
  body: string | undefined,
  handler: () => unknown = noWork,
): Promise<unknown> {
  let told: unknown;
  const processor = createBatchProcessor(handler, {
    store: memoryStore(),
    observer: { onEvent: (event) => void ('error' in event && (told ??= event.error)) },
    ...options,
  });
  const { Records } = sqsEvent([{ messageId: 'm-1', body: body ?? '' }]);
  await processor({ Records: Records.map((record) => ({ ...record, body })) }, lambdaContext());
  return told;
}

async function warningOf(run: Run): Promise<unknown> {
  const emitWarning = process.emitWarning;
  let warning: unknown;
  process.emitWarning = (message: string | Error, options?: unknown) => {
    warning = { message, name: 'BatchlatchWarning', ...(options as object) };
  };
  try {
    await run();
  } finally {
    process.emitWarning = emitWarning;
  }
  return warning;
}

function singleWrites(): Promise<unknown> {
  const refused = async (): Promise<never> => {
    throw Object.assign(new Error(), { name: 'UnknownOperationException' });
  };
  const client = { send: refused, batchExecuteStatement: refused, putItem: async () => ({}) };
  const store = dynamoDBStore({
    tableName: 'claims',
    client: client as never,
  });
  return store.acquire([{ key: 'k', owner: 'o', leaseMs: 1_000, retentionMs: 1_000 }]);
}

async function evictionProblem(): Promise<unknown> {
  const client = {
    call: async () => 'maxmemory_policy:allkeys-lru\r\n',
    pipeline: noWork,
    status: 'ready',
    options: {},
  };
  const { problems } = await checkRedis(client as unknown as RedisClient);
  return problems[0];
}

async function resultNotStored(): Promise<unknown> {
  const storage: ResultStorage = {
    put: () => Promise.reject(new Error()),
    get: () => Promise.reject(new Error()),
  };
  const settlement = {
    end: 'complete',
    key: 'k',
    owner: 'o',
    retentionMs: 1_000,
    result: 'x'.repeat(99),
  } as const;
  return resultForms(storage, 10, systemClock).formOf(settlement);
}

/** The second delivery of an event comes while the first one runs. */
async function redelivery(): Promise<unknown> {
  const clock = manualClock(Date.parse('2026-01-10T12:00:00Z'));
  const store = memoryStore({ clock });
  let end: Run = noWork;
  const processor = createBatchProcessor(() => new Promise<void>((resolve) => (end = resolve)), {
    store,
    clock,
  });
  const event = eventBridgeEvent({});
  const first = processor(event, lambdaContext({ clock }));
  const error = await thrownBy(() => processor(event, lambdaContext({ clock })));
  end();
  await first;
  return error;
}

const HTTP = { namespace: 'payments', scope: () => 'acme', maxResponseBytes: 50 };
const HEADERS = { 'idempotency-key': 'k' };

/** Returns the error that is stored for a request whose response is too long. */
async function storedResponseError(): Promise<unknown> {
  const store = memoryStore();
  const handler = withFetchIdempotency(() => new Response('x'.repeat(99)), { ...HTTP, store });
  await handler(new Request('https://example.com/payments', { method: 'POST', headers: HEADERS }));
  return (await store.inspect('payments#http-v1:["acme","k"]'))?.error;
}

/** Returns the error of an API Gateway response whose body is an object. */
async function responseError(): Promise<unknown> {
  let told: unknown;
  const handler = withHttpIdempotency(async () => ({ statusCode: 201, body: { id: 1 } }), {
    ...HTTP,
    store: memoryStore(),
    onError: (error) => (told = error),
  });
  await handler(restEvent({}), lambdaContext());
  return told;
}

/** Schemas, as zod and others make them. */
const needsAmount = schemaOf(() => ({ issues: [{ path: ['amount'], message: 'expected number' }] }));
const broken = schemaOf(() => {
  throw new Error('no rule');
});

function schemaOf(validate: () => StandardSchemaV1.Result<unknown>): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'example', validate } };
}
