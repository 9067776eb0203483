import leven from 'leven';
import type { Advice } from './check-options.ts';

/** Names ours where the option is one of Powertools, sqs-consumer or middy, and else the nearest. */
export const advice: Advice = (name, known) => peerAdvice(name, known) ?? nearestName(name, known);

/**
 * Options of Powertools (`batch`, `idempotency`), sqs-consumer, middy and HTTP middlewares, by their names there: a line
 * for those with the same counterpart. Then our options that do their work, of which the first that the options in
 * question have is named; and what differs, or what to do where no option is. A text, because it is in every bundle.
 */
const PEER_OPTIONS = `
throwOnFullBatchFailure||a batch that fails as a whole is answered with a full list of failures and never with an exception
skipGroupOnError||this is always the case: after a failure the rest of its message group is handed back, and other groups continue
processInParallel|concurrency|1 runs one record at a time
parserConfig innerSchema|schema
persistenceStore|store|e.g. dynamoDBStore({ tableName })
tableName|store|dynamoDBStore({ tableName })
config||its members are options themselves
eventKeyJmesPath eventKeyJmespath|key header|jmesPath(…) for batches, a function for calls
payloadValidationJmesPath|payloadValidation payload|over HTTP the whole request is always compared
dataIndexArgument|key|a function of the arguments, e.g. (_customer, order) => order.id
dataKeywordArgument|key|a function of the arguments
expiresAfterSeconds ttl ttlSeconds expiresIn|retentionMs|in milliseconds
useLocalCache|store|cached(dynamoDBStore({ tableName }), { max: 1_000 })
localCacheMaxItems maxLocalCacheSize|store|cached(store, { max })
hashFunction||hashes are SHA-256; powertoolsKey({ hashFunction }) makes keys as Powertools does
throwOnNoIdempotencyKey raiseOnNoIdempotencyKey||a record without a key is always refused, because it would share one with others
keyPrefix cacheKeyPrefix|namespace
lambdaContext|remainingTimeMs|a batch handler takes it from the second argument that Lambda gives
responseHook||what comes back is what was stored; change it where the result is used
jmesPathOptions||powertoolsKey({ jmesPathOptions }) takes it
handleMessage||the handler is the first argument
handleMessageBatch||createBatchProcessor.forBatches takes the handler as its first argument
handleMessageTimeout timeoutMs|recordTimeoutMs
batchSize waitTimeSeconds pollingWaitTimeMs attributeNames messageAttributeNames messageSystemAttributeNames||Lambda receives the messages; set it on the event source mapping or the queue, not here
visibilityTimeout|visibility|when a failed message comes again; the timeout itself is set on the queue
terminateVisibilityTimeout|visibility
heartbeatInterval|heartbeat|heartbeat({ intervalMs }), in milliseconds
alwaysAcknowledge||only what is done is acknowledged
shouldDeleteMessages||Lambda deletes what is not in the answer
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

/** What to do instead of an option that other libraries have, for options of these names; undefined for other options. */
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

/** Suggests the known name that is nearest to a wrong one, or lists all of them where none is near. */
export function nearestName(name: string, known: readonly string[]): string {
  const nearest = known.toSorted((a, b) => leven(a, name) - leven(b, name))[0] as string;
  const isNear = leven(nearest.toLowerCase(), name.toLowerCase()) <= Math.max(2, name.length / 3);
  return isNear ? `did you mean \`${nearest}\`?` : `known options are ${known.join(', ')}`;
}
