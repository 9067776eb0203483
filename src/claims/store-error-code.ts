/** The codes of `StoreError`s beside `BATCHLATCH_STORE`. `docs/errors.md` is made from these comments. */
export type StoreErrorCode =
  /**
   * The table does not exist in this account, region and endpoint, or in PostgreSQL's database and
   * `search_path`. Code: `BATCHLATCH_TABLE_NOT_FOUND`.
   *
   * @remarks Create it (`npx batchlatch table create`), or correct its name.
   */
  | 'BATCHLATCH_TABLE_NOT_FOUND'
  /**
   * A permission for the store is missing. Code: `BATCHLATCH_ACCESS_DENIED`.
   *
   * @remarks Grant what the message names: docs/stores/dynamodb.md#permissions,
   * docs/stores/postgres.md#permissions, docs/stores/redis.md#permissions.
   */
  | 'BATCHLATCH_ACCESS_DENIED'
  /**
   * The store did not accept the credentials: they are missing, wrong or expired. Code:
   * `BATCHLATCH_CREDENTIALS`.
   *
   * @remarks Check docs/stores/dynamodb-requests.md#credentials, PostgreSQL's role and `pg_hba.conf`, or the
   * Redis user.
   */
  | 'BATCHLATCH_CREDENTIALS'
  /**
   * The row would exceed DynamoDB's 400 KB, with its key and result. Code: `BATCHLATCH_ITEM_TOO_LARGE`.
   *
   * @remarks Wrap the store in `resultsIn`, which stores long results elsewhere.
   */
  | 'BATCHLATCH_ITEM_TOO_LARGE'
  /**
   * The claim store did not answer in 10 seconds (DynamoDB, statements, renewals) or 30 seconds (other
   * calls). The record is handed back. Code: `BATCHLATCH_STORE_SILENT`.
   *
   * @remarks Check for a client without timeouts, a network that drops packets, or an overloaded store.
   */
  | 'BATCHLATCH_STORE_SILENT'
  /**
   * AWS's SDK is needed but missing: for a `client` without methods, or because of the environment
   * (docs/stores/dynamodb-requests.md). Code: `BATCHLATCH_SDK_NOT_FOUND`.
   *
   * @remarks Follow the message. For SQS, `new SQS()` includes its commands.
   */
  | 'BATCHLATCH_SDK_NOT_FOUND'
  /**
   * The key is completed, but its result cannot be read; if `isRetryable` is false, it is gone. Over HTTP:
   * 503 or 410. Code: `BATCHLATCH_RESULT_UNAVAILABLE`.
   *
   * @remarks Wrap the store in `resultsIn`. A lifecycle rule must outlast `retentionMs`.
   */
  | 'BATCHLATCH_RESULT_UNAVAILABLE'
  /**
   * A result is too long for its row, and the result storage failed. The key is parked. Code:
   * `BATCHLATCH_RESULT_NOT_STORED`.
   *
   * @remarks Check the storage: permissions, bucket, network.
   */
  | 'BATCHLATCH_RESULT_NOT_STORED'
  /**
   * `wait` of `redisStore`: too few replicas confirmed the write in time. Code: `BATCHLATCH_NOT_REPLICATED`.
   *
   * @remarks Check the replicas, or increase `wait.timeoutMs`.
   */
  | 'BATCHLATCH_NOT_REPLICATED'
  /**
   * The row changed several times while it was claimed, or while a person changed it. Code:
   * `BATCHLATCH_CONTENDED`.
   *
   * @remarks None for records: they are handed back. For a change: look at the claim again.
   */
  | 'BATCHLATCH_CONTENDED'
  /**
   * No claim store wrote the row of the key. Code: `BATCHLATCH_NOT_A_CLAIM`.
   *
   * @remarks Use a table or prefix for batchlatch only. If Powertools writes the table too: `attributes:
   * powertoolsAttributes`.
   */
  | 'BATCHLATCH_NOT_A_CLAIM';
