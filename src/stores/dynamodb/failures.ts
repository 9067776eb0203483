import { StoreError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { StoreErrorCode } from '../../claims/store-error-code.ts';

/**
 * Statement codes, cancellation reasons and exception names after which the same write may succeed.
 * `ReplicatedWriteConflict`: another Region writes the item (multi-Region strong consistency).
 */
const PASSING =
  /^(Throttling(Error|Exception)|(ProvisionedThroughputExceeded|(Transaction|ReplicatedWrite)Conflict)(Exception)?|RequestLimitExceeded|InternalServerError)$/;

/** Network failures; the transport has already retried them. */
const NETWORK =
  /^(TimeoutError|NetworkingError|RequestTimeout|ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)/;

/** The error of the SDK's credential providers, and of direct requests: no request was sent. */
const NO_CREDENTIALS = 'CredentialsProviderError';

const CREDENTIALS =
  /^(UnrecognizedClientException|ExpiredTokenException|InvalidSignatureException|MissingAuthenticationTokenException)/;

export function isPassing(code: string): boolean {
  return PASSING.test(code);
}

/** Whether DynamoDB, or an emulator, does not support the operation. */
export function isUnknownOperation(thrown: unknown): boolean {
  return told(thrown).name === 'UnknownOperationException';
}

/** Whether the request was refused as a whole because of something in it. */
export function isInvalidRequest(thrown: unknown): boolean {
  return /^(Validation|Serialization)Exception$/.test(told(thrown).name);
}

/** Whether the table has no such index, or DynamoDB is still building it. */
export function isMissingIndex(thrown: unknown): boolean {
  // The last pattern is moto's.
  return /specified index|backfilling|^invalid index/i.test(told(thrown).message);
}

/** Converts a transport's exception or a PartiQL statement's error to a `StoreError` with a remedy. */
export function toStoreError(thrown: unknown, tableName: string): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const { name, message, code: ofNetwork, fault } = told(thrown);
  const final = (code: StoreErrorCode, text: string): StoreError =>
    new StoreError(text, { cause: thrown, isRetryable: false, code });

  if (name.startsWith('ResourceNotFound')) {
    return final(
      'BATCHLATCH_TABLE_NOT_FOUND',
      `DynamoDB has no table \`${tableName}\` in this account, region and endpoint. ` +
        'Create it (`npx batchlatch table create`), or correct CLAIMS_TABLE_NAME or `tableName`.',
    );
  }
  if (name.startsWith('AccessDenied')) {
    const action = /dynamodb:\w+/.exec(message)?.[0];
    return final(
      'BATCHLATCH_ACCESS_DENIED',
      action === undefined
        ? `The policy refuses access to table \`${tableName}\`: ${message}`
        : `The policy refuses ${action} on table \`${tableName}\`. ` +
            "Allow that action for the function's role.",
    );
  }
  const areMissing = name === NO_CREDENTIALS;
  if (areMissing || CREDENTIALS.test(name)) {
    const what = areMissing
      ? 'No credentials for DynamoDB'
      : `DynamoDB did not accept the credentials (${name}), renew or correct them`;
    return final('BATCHLATCH_CREDENTIALS', `${what}: ${message}`);
  }
  if (/item size/i.test(message)) {
    return final(
      'BATCHLATCH_ITEM_TOO_LARGE',
      `The claim's row would be larger than DynamoDB's 400 KB; use resultsIn for long results: ${message}`,
    );
  }
  return new StoreError(`DynamoDB: ${name}: ${message}`, {
    cause: thrown,
    isRetryable: isPassing(name) || NETWORK.test(name) || NETWORK.test(ofNetwork) || fault === 'server',
  });
}

/** Reads a statement's error (`Code`, `Message`) or an exception (`name`, `message`). */
function told(thrown: unknown): Readonly<Record<'name' | 'message' | 'code' | 'fault', string>> {
  const given: object = isObject(thrown) ? thrown : { name: typeof thrown, message: String(thrown) };
  const { Code, name, Message, message, code, $fault } = given as Readonly<Record<string, unknown>>;
  return {
    name: firstText(Code, name, 'Error'),
    message: firstText(Message, message, ''),
    code: firstText(code, ''),
    fault: firstText($fault, ''),
  };
}

function firstText(...values: readonly unknown[]): string {
  return values.find((value) => typeof value === 'string') as string;
}
