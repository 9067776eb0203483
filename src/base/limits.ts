/**
 * The longest times of external calls, in milliseconds, for all clients. Without them, an unanswered call
 * would keep its place, and its callers, forever.
 */

/** A call of the claim store. Longer than a store's own retries, after which an answer is unlikely. */
// rule: bounded-calls
export const STORE_CALL_MS = 30_000;

/** A renewal. A third or half of the lease is left then, and another renewal must still fit. */
export const RENEWAL_MS = 10_000;

/** A call of an admin. A page may take several requests, one after another. */
export const ADMIN_CALL_MS = 60_000;

/** A call of the monitor, whose function has a short timeout. */
export const MONITOR_CALL_MS = 15_000;

/** A call of a result storage: about as long as both tries of the client of `s3Results`. */
export const RESULT_STORAGE_MS = 15_000;

/** A request to DynamoDB and its retries, over any transport. The store's own retries have room for three. */
export const DYNAMODB_REQUEST_MS = 10_000;

/** A query of Redis's settings: answered at once or not at all. */
export const REDIS_QUESTION_MS = 10_000;

/** A connection of PostgreSQL's pool, which may wait for one forever. */
export const POSTGRES_CONNECTION_MS = 10_000;

/** A try of a statement of attempts or people. The connection is closed after it. */
export const POSTGRES_STATEMENT_MS = 10_000;

/** A statement, or the wait for a connection, in a handler's transaction: its lease is running. */
export const TRANSACTION_STATEMENT_MS = 8_000;

/** The query how a transaction that an ORM ended turned out: its handler waits for the answer. */
export const TRANSACTION_CHECK_MS = 5_000;

/** A call of SQS that the answer of a batch waits for. SQS answers in milliseconds. */
// rule: bounded-sqs-calls
export const SQS_CALL_MS = 5_000;

/** A call of SQS for people: a receive waits a second, and ten 100 KB messages are slow on some lines. */
export const DEAD_LETTER_CALL_MS = 20_000;

export const WORKER_CALL_MS = 10_000;

/** A receive of the worker, which waits 20 seconds for messages. */
export const WORKER_RECEIVE_MS = 30_000;

/** A request with messages, over any transport. The sender retries until its call's deadline. */
export const SEND_REQUEST_MS = 10_000;

/** A body of a message on its way to S3: it may be long, and the line slow. */
export const UPLOAD_MS = 30_000;
