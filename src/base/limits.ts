/*
 * The longest that each call to the outside takes, in milliseconds, whatever client was given. A call without an answer
 * would otherwise keep its place, and whoever waits for it, without an end.
 */

/** A call of the claim store. Longer than a store's own retries: without an answer by then there will hardly be one. */
// rule: bounded-calls
export const STORE_CALL_MS = 30_000;

/** A renewal. Leases are renewed with a third or half of them left: there must be time for another. */
export const RENEWAL_MS = 10_000;

/** A call of an admin: a page may take several requests, one after the other. */
export const ADMIN_CALL_MS = 60_000;

/** A call of the monitor, whose function has a short timeout. */
export const MONITOR_CALL_MS = 15_000;

/** A call of a result storage: about as long as both attempts of the client of `s3Results` take. */
export const RESULT_STORAGE_MS = 15_000;

/** A request to DynamoDB, its retries included, whatever it is sent with: the store's own retries have room for three. */
export const DYNAMODB_REQUEST_MS = 10_000;

/** A question about the settings of Redis: it is answered at once, or there is nobody to answer. */
export const REDIS_QUESTION_MS = 10_000;

/** A connection of PostgreSQL's pool, which may wait for one without an end. */
export const POSTGRES_CONNECTION_MS = 10_000;

/** One sending of a statement of attempts or people: after it the connection is closed. */
export const POSTGRES_STATEMENT_MS = 10_000;

/** A statement, or the wait for a connection, of a transaction of the handler's: its claim waits with a lease. */
export const TRANSACTION_STATEMENT_MS = 8_000;

/** The question what became of a transaction that an ORM has ended: its handler waits for the answer. */
export const TRANSACTION_CHECK_MS = 5_000;

/** A call of SQS that the answer of a batch waits for: SQS answers in milliseconds. */
// rule: bounded-sqs-calls
export const SQS_CALL_MS = 5_000;

/** A call of SQS for people: a receive waits for a second, and ten messages of 100 KB take a slow line some seconds. */
export const DEAD_LETTER_CALL_MS = 20_000;

/** A call of the worker to SQS. */
export const WORKER_CALL_MS = 10_000;

/** A receive of the worker, which waits for messages for 20 seconds. */
export const WORKER_RECEIVE_MS = 30_000;
