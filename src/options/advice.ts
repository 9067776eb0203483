import leven from 'leven';
import type { Advice } from './check-options.ts';

/** Suggests the counterpart of an option of another library, else the nearest known name. */
export const advice: Advice = (name, known) => peerAdvice(name, known) ?? nearestName(name, known);

/**
 * The options of Powertools (`batch`, `idempotency`), sqs-consumer, middy and HTTP middlewares, one line for
 * each counterpart: `their names|our options|note`. The first of our options that the checked function has is
 * named. A note says what differs, or what to do if there is no counterpart. Stored as text because it is in
 * every bundle.
 */
const PEER_OPTIONS = `
throwOnFullBatchFailure||a failed batch returns a full list of failures, never an exception
skipGroupOnError||always on: after a failure only the rest of its message group is handed back
processInParallel|concurrency|1 runs one record at a time
parserConfig innerSchema|schema
persistenceStore|store|e.g. dynamoDBStore({ tableName })
tableName|store|dynamoDBStore({ tableName })
config||pass its members as options
eventKeyJmesPath eventKeyJmespath|key header|jmesPath(…) for batches, a function for calls
payloadValidationJmesPath|payloadValidation payload|over HTTP the whole request is always compared
dataIndexArgument|key|a function of the arguments, e.g. (_customer, order) => order.id
dataKeywordArgument|key|a function of the arguments
expiresAfterSeconds ttl ttlSeconds expiresIn|retentionMs|in milliseconds
useLocalCache|store|cached(dynamoDBStore({ tableName }), { max: 1_000 })
localCacheMaxItems maxLocalCacheSize|store|cached(store, { max })
hashFunction||hashes are SHA-256; powertoolsKey({ hashFunction }) makes keys as Powertools does
throwOnNoIdempotencyKey raiseOnNoIdempotencyKey||always on: records without a key would share one
keyPrefix cacheKeyPrefix|namespace
lambdaContext|remainingTimeMs|a batch handler takes it from the second argument that Lambda gives
responseHook||the stored result is returned unchanged; change it where you use it
jmesPathOptions||powertoolsKey({ jmesPathOptions }) takes it
handleMessage||the handler is the first argument
handleMessageBatch||createBatchProcessor.forBatches takes the handler as its first argument
handleMessageTimeout timeoutMs|recordTimeoutMs
batchSize waitTimeSeconds pollingWaitTimeMs||Lambda receives: set it on the event source mapping or the queue
attributeNames messageAttributeNames messageSystemAttributeNames||Lambda delivers all attributes
visibilityTimeout|visibility|when a failed message comes again; the timeout itself is set on the queue
terminateVisibilityTimeout|visibility
heartbeatInterval|heartbeat|heartbeat({ intervalMs }), in milliseconds
alwaysAcknowledge||records are acknowledged only after they complete
shouldDeleteMessages||Lambda deletes the messages that the response does not list
timeoutEarlyInMillis|deadlineMarginMs
logger|observer onError|e.g. jsonLines({ write })
maxConcurrency maximumConcurrency concurrencyLimit|concurrency
timeout|recordTimeoutMs|in milliseconds
cacheTTLMS|retentionMs
lockTimeout|leaseMs|in milliseconds
maxRetries retries|maxAttempts
dlq deadLetterQueue deadLetterQueueUrl|deadLetter|deadLetterQueue({ url })
headerKey headerName idempotencyKeyHeader|header
enforceIdempotency|required
storage|store`;

function peerAdvice(name: string, known: readonly string[]): string | undefined {
  for (const line of PEER_OPTIONS.trim().split('\n')) {
    const [names = '', ours = '', note] = line.split('|');
    if (!names.split(' ').includes(name)) continue;
    const own = ours.split(' ').find((one) => known.includes(one));
    if (own === undefined) return note ?? 'it has no counterpart here';
    return `here it is \`${own}\`${note === undefined ? '' : `: ${note}`}`;
  }
  return undefined;
}

/** Suggests the nearest known name, or lists all if none is near. */
export function nearestName(name: string, known: readonly string[]): string {
  const nearest = known.toSorted((a, b) => leven(a, name) - leven(b, name))[0] as string;
  const isNear = leven(nearest.toLowerCase(), name.toLowerCase()) <= Math.max(2, name.length / 3);
  return isNear ? `did you mean \`${nearest}\`?` : `known options are ${known.join(', ')}`;
}
