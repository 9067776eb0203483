import { StoreError } from '../../claims/errors.ts';

/** Statement codes and exception names after which the same write may succeed by itself. */
const PASSING = new Set([
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TransactionConflict',
  'TransactionConflictException',
  'InternalServerError',
]);

/** Network failures; AWS's SDK has already retried when it reports one. */
const NETWORK =
  /^(TimeoutError|NetworkingError|RequestTimeout|ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)/;

const CREDENTIALS =
  /^(CredentialsProviderError|UnrecognizedClientException|ExpiredTokenException|InvalidSignatureException|MissingAuthenticationTokenException)/;

export function isPassing(code: string): boolean {
  return PASSING.has(code);
}

/** DynamoDB (or an emulator) does not support the operation. */
export function isUnknownOperation(thrown: unknown): boolean {
  return nameOf(thrown) === 'UnknownOperationException';
}

/** The request as a whole was refused for something in it. */
export function isInvalidRequest(thrown: unknown): boolean {
  const name = nameOf(thrown);
  return name === 'ValidationException' || name === 'SerializationException';
}

/** Says what was wrong and what to do. Accepts an exception of AWS's SDK or an error of one PartiQL statement. */
export function toStoreError(thrown: unknown, tableName: string): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const name = nameOf(thrown);
  const message = messageOf(thrown);
  const cause = thrown;

  if (name.startsWith('ResourceNotFound')) {
    return new StoreError(
      `DynamoDB has no table \`${tableName}\` in this account, region and endpoint. Create it (template.yaml and ` +
        'claimsTableDefinition() define it), or name the right one in CLAIMS_TABLE_NAME or `tableName`.',
      { cause, isRetryable: false, code: 'BATCHLATCH_TABLE_NOT_FOUND' },
    );
  }
  if (name.startsWith('AccessDenied')) {
    const action = /dynamodb:\w+/.exec(message)?.[0];
    return new StoreError(
      action === undefined
        ? `The policy refuses access to table \`${tableName}\`: ${message}`
        : `The policy refuses ${action} on table \`${tableName}\`. Allow that action for the function's role.`,
      { cause, isRetryable: false, code: 'BATCHLATCH_ACCESS_DENIED' },
    );
  }
  if (CREDENTIALS.test(name)) {
    return new StoreError(`DynamoDB did not accept the credentials (${name}): ${message}`, {
      cause,
      isRetryable: false,
      code: 'BATCHLATCH_CREDENTIALS',
    });
  }
  if (/item size/i.test(message)) {
    return new StoreError(`The claim's row would be larger than DynamoDB's 400 KB: ${message}`, {
      cause,
      isRetryable: false,
      code: 'BATCHLATCH_ITEM_TOO_LARGE',
    });
  }
  return new StoreError(`DynamoDB: ${name}: ${message}`, {
    cause,
    isRetryable:
      isPassing(name) || NETWORK.test(name) || NETWORK.test(codeOf(thrown)) || isServerFault(thrown),
  });
}

function nameOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return typeof thrown;
  // A statement's error in a 200 answer has a `Code`; an exception has a `name`.
  if ('Code' in thrown && typeof thrown.Code === 'string') return thrown.Code;
  return 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'Error';
}

function messageOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  if ('Message' in thrown && typeof thrown.Message === 'string') return thrown.Message;
  return 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : '';
}

function codeOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : '';
}

function isServerFault(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  return '$fault' in thrown && thrown.$fault === 'server';
}
