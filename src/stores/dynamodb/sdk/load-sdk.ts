import type * as client from '@aws-sdk/client-dynamodb';
import { builtIn } from '../../../claims/built-in.ts';
import { StoreError } from '../../../claims/errors.ts';

export type Sdk = typeof client;

/** In a variable: a bundler does not follow it, so that no bundle holds the SDK for the case that it is needed. */
const NAME = '@aws-sdk/client-dynamodb';

let loading: Promise<Sdk> | undefined;

/** Loads AWS's SDK once. `why` is what it is needed for, for the error if there is none. */
export function loadSdk(why: string): Promise<Sdk> {
  loading ??= load();
  return loading.catch((thrown: unknown) => {
    throw notFound(why, thrown);
  });
}

async function load(): Promise<Sdk> {
  try {
    return withNames(await import(/* webpackIgnore: true */ NAME));
  } catch {
    // Beside a bundle there are no packages; `require` looks where NODE_PATH says too, and so finds the one of Lambda's runtime.
    return builtIn('node:module').createRequire(builtIn('node:path').resolve('index.js'))(NAME) as Sdk;
  }
}

/** An import of CommonJS has all that it exports as its default, and by name what could be told without running it. */
function withNames(module: Sdk & { readonly default?: Sdk }): Sdk {
  return module.default ?? module;
}

function notFound(why: string, cause: unknown): StoreError {
  return new StoreError(
    `${why}, and ${NAME} was not found. Install it beside the function or leave it out of the bundle as external; ` +
      'where the bundle holds it, pass `client: new DynamoDB({})`, which brings its commands along',
    { cause, isRetryable: false, code: 'BATCHLATCH_SDK_NOT_FOUND' },
  );
}
