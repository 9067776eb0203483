/** What an option of another library is called here, and what to know of it. */
interface Counterpart {
  /** Our options that do its work; the first that the options in question have is named. */
  readonly ours?: readonly string[];
  /** What differs, or what to do where no option is. */
  readonly note?: string;
}

const KEY = ['key'];
const LAMBDA_POLLS =
  'Lambda receives the messages; set it on the event source mapping or the queue, not here';
const ALWAYS_A_KEY = 'a record without a key is always refused, because it would share one with others';

/** Options of Powertools (`batch`, `idempotency`), sqs-consumer, middy and HTTP middlewares, by their names there. */
const PEER_OPTIONS: Readonly<Record<string, Counterpart>> = {
  // Powertools, batch
  throwOnFullBatchFailure: {
    note: 'a batch that fails as a whole is answered with a full list of failures and never with an exception',
  },
  skipGroupOnError: {
    note: 'this is always the case: after a failure the rest of its message group is handed back, and other groups continue',
  },
  processInParallel: { ours: ['concurrency'], note: '1 runs one record at a time' },
  parserConfig: { ours: ['schema'] },
  innerSchema: { ours: ['schema'] },
  // Powertools, idempotency
  persistenceStore: { ours: ['store'], note: 'e.g. dynamoDBStore({ tableName })' },
  tableName: { ours: ['store'], note: 'dynamoDBStore({ tableName })' },
  config: { note: 'its members are options themselves' },
  eventKeyJmesPath: { ours: [...KEY, 'header'], note: 'jmesPath(…) for batches, a function for calls' },
  eventKeyJmespath: { ours: [...KEY, 'header'], note: 'jmesPath(…) for batches, a function for calls' },
  payloadValidationJmesPath: {
    ours: ['payloadValidation', 'payload'],
    note: 'over HTTP the whole request is always compared',
  },
  dataIndexArgument: { ours: KEY, note: 'a function of the arguments, e.g. (_customer, order) => order.id' },
  dataKeywordArgument: { ours: KEY, note: 'a function of the arguments' },
  expiresAfterSeconds: { ours: ['retentionMs'], note: 'in milliseconds' },
  useLocalCache: { ours: ['store'], note: 'cached(dynamoDBStore({ tableName }), { max: 1_000 })' },
  localCacheMaxItems: { ours: ['store'], note: 'cached(store, { max })' },
  maxLocalCacheSize: { ours: ['store'], note: 'cached(store, { max })' },
  hashFunction: { note: 'hashes are SHA-256; powertoolsKey({ hashFunction }) makes keys as Powertools does' },
  throwOnNoIdempotencyKey: { note: ALWAYS_A_KEY },
  raiseOnNoIdempotencyKey: { note: ALWAYS_A_KEY },
  keyPrefix: { ours: ['namespace'] },
  lambdaContext: {
    ours: ['remainingTimeMs'],
    note: 'a batch handler takes it from the second argument that Lambda gives',
  },
  responseHook: { note: 'what comes back is what was stored; change it where the result is used' },
  jmesPathOptions: { note: 'powertoolsKey({ jmesPathOptions }) takes it' },
  // sqs-consumer
  handleMessage: { note: 'the handler is the first argument' },
  handleMessageBatch: { note: 'createBatchProcessor.forBatches takes the handler as its first argument' },
  handleMessageTimeout: { ours: ['recordTimeoutMs'] },
  batchSize: { note: LAMBDA_POLLS },
  waitTimeSeconds: { note: LAMBDA_POLLS },
  pollingWaitTimeMs: { note: LAMBDA_POLLS },
  attributeNames: { note: LAMBDA_POLLS },
  messageAttributeNames: { note: LAMBDA_POLLS },
  messageSystemAttributeNames: { note: LAMBDA_POLLS },
  visibilityTimeout: {
    ours: ['visibility'],
    note: 'when a failed message comes again; the timeout itself is set on the queue',
  },
  terminateVisibilityTimeout: { ours: ['visibility'] },
  heartbeatInterval: { ours: ['heartbeat'], note: 'heartbeat({ intervalMs }), in milliseconds' },
  alwaysAcknowledge: { note: 'only what is done is acknowledged' },
  shouldDeleteMessages: { note: 'Lambda deletes what is not in the answer' },
  // middy, and names that others have
  timeoutEarlyInMillis: { ours: ['deadlineMarginMs'] },
  logger: { ours: ['observer', 'onError'], note: 'e.g. jsonLines({ write })' },
  maxConcurrency: { ours: ['concurrency'] },
  maximumConcurrency: { ours: ['concurrency'] },
  concurrencyLimit: { ours: ['concurrency'] },
  timeout: { ours: ['recordTimeoutMs'], note: 'in milliseconds' },
  timeoutMs: { ours: ['recordTimeoutMs'] },
  ttl: { ours: ['retentionMs'], note: 'in milliseconds' },
  ttlSeconds: { ours: ['retentionMs'], note: 'in milliseconds' },
  expiresIn: { ours: ['retentionMs'], note: 'in milliseconds' },
  cacheTTLMS: { ours: ['retentionMs'] },
  lockTimeout: { ours: ['leaseMs'], note: 'in milliseconds' },
  maxRetries: { ours: ['maxAttempts'] },
  retries: { ours: ['maxAttempts'] },
  dlq: { ours: ['deadLetter'], note: 'deadLetterQueue({ url })' },
  deadLetterQueue: { ours: ['deadLetter'], note: 'deadLetterQueue({ url })' },
  deadLetterQueueUrl: { ours: ['deadLetter'], note: 'deadLetterQueue({ url })' },
  headerKey: { ours: ['header'] },
  headerName: { ours: ['header'] },
  idempotencyKeyHeader: { ours: ['header'] },
  enforceIdempotency: { ours: ['required'] },
  cacheKeyPrefix: { ours: ['namespace'] },
  storage: { ours: ['store'] },
};

/** What to do instead of an option that other libraries have, for options of these names; undefined for other options. */
export function peerAdvice(name: string, known: readonly string[]): string | undefined {
  if (!Object.hasOwn(PEER_OPTIONS, name)) return undefined;
  const { ours = [], note } = PEER_OPTIONS[name] as Counterpart;
  const own = ours.find((one) => known.includes(one));
  if (own === undefined) return note ?? 'it has no counterpart here';
  return `here it is \`${own}\`${note === undefined ? '' : `: ${note}`}`;
}
