import type * as client from '@aws-sdk/client-dynamodb';
import { loadPackage } from '../../../aws/sdk/load-package.ts';
import { StoreError } from '../../../base/errors.ts';

export type Sdk = typeof client;

const NAME = '@aws-sdk/client-dynamodb';

/** Loads AWS's SDK once. `why` is what it is needed for, for the error if there is none. */
export function loadSdk(why: string): Promise<Sdk> {
  return loadPackage<Sdk>(NAME).catch((thrown: unknown) => {
    throw notFound(why, thrown);
  });
}

function notFound(why: string, cause: unknown): StoreError {
  return new StoreError(
    `${why}, and ${NAME} was not found. Install it beside the function or leave it out of the bundle as external; ` +
      'where the bundle holds it, pass `client: new DynamoDB({})`, which brings its commands along',
    { cause, isRetryable: false, code: 'BATCHLATCH_SDK_NOT_FOUND' },
  );
}
