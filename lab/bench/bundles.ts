/** What a function imports, as the statements that it would be written with. */
export interface Bundle {
  readonly name: string;
  /** Export statements: what is exported cannot be shaken out. */
  readonly statements: readonly string[];
  /** Imports that it needs in any case: its size is what it adds to them. */
  readonly needs?: readonly string[];
  /** What it may be at most, in KB, minified and without AWS's SDK. */
  readonly mostKilobytes?: number;
}

const CORE = "export { createBatchProcessor } from 'batchlatch/core';";
const STORE = "export { dynamoDBStore } from 'batchlatch/dynamodb';";

/** Whole functions. The first is what each of `PARTS` is added to. */
export const WHOLES: readonly [Bundle, ...Bundle[]] = [
  { name: 'createBatchProcessor of batchlatch/core', statements: [CORE], mostKilobytes: 33 },
  {
    name: 'the same with sqs, payloadHash and dynamoDBStore',
    statements: [CORE, exported('sqs', 'payloadHash'), STORE],
    mostKilobytes: 95,
  },
  {
    name: 'createBatchProcessor of batchlatch',
    statements: ["export { createBatchProcessor } from 'batchlatch';"],
  },
  {
    name: 'withIdempotency of batchlatch/functions',
    statements: ["export { withIdempotency } from 'batchlatch/functions';"],
  },
  {
    name: 'withHttpIdempotency of batchlatch/http',
    statements: ["export { withHttpIdempotency } from 'batchlatch/http';"],
  },
];

/** What each import adds to the first of `WHOLES`. */
export const PARTS: readonly Bundle[] = [
  ...['sqs', 'kinesis', 'dynamoDBStream', 'eventBridge', 'eventBridgeBus', 'kafka', 'sns', 's3'].map(ofCore),
  ofCore('allSources'),
  ...['snsEnvelope', 'eventBridgeEnvelope', 's3Envelope', 'gzip', 'base64'].map(ofCore),
  ...['messageId', 'payloadHash'].map(ofCore),
  { name: 'jmesPath', statements: ["export { jmesPath } from 'batchlatch/jmespath';"] },
  ...['backoff', 'deadLetterQueue', 'heartbeat', 'waitForOwner', 'runWithoutClaim'].map(ofCore),
  ...['standardSchema', 'suspectsFirst', 'forBatches', 'jsonLines'].map(ofCore),
  {
    name: 'routes',
    // A message has a schema, and most have a key that paths name.
    needs: [exported('standardSchema', 'payloadHash')],
    statements: ["export { message, messages, routes } from 'batchlatch/messages';"],
  },
  ...['cached', 'resultsIn'].map(ofCore),
  { name: 'dynamoDBStore', statements: [STORE] },
  {
    name: 'dynamoDBStore and commit',
    statements: ["export { commit, dynamoDBStore } from 'batchlatch/dynamodb';"],
  },
  { name: 'memoryStore', statements: ["export { memoryStore } from 'batchlatch/memory';"] },
  { name: 's3Results', statements: ["export { s3Results } from 'batchlatch/s3';"] },
  { name: 's3Pointer', statements: ["export { s3Pointer } from 'batchlatch/s3';"] },
  { name: 'avro', statements: ["export { avro, confluentRegistry } from 'batchlatch/avro';"] },
  { name: 'protobuf', statements: ["export { confluentRegistry, protobuf } from 'batchlatch/protobuf';"] },
];

function ofCore(name: string): Bundle {
  return { name, statements: [exported(name)] };
}

function exported(...names: string[]): string {
  return `export { ${names.join(', ')} } from 'batchlatch/core';`;
}
