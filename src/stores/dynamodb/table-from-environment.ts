import { ConfigurationError, BatchlatchError } from '../../base/errors.ts';

/**
 * Calls `make` once with the table of `CLAIMS_TABLE_NAME`: now if the variable is set, and in Lambda, where a
 * missing variable should fail the start and not the first event; else at first use, because a test imports a
 * handler's module before it sets the environment. Throws a `ConfigurationError` without the variable.
 */
export function whenTableIsNamed<Made>(make: (tableName: string) => Made): () => Made {
  const { CLAIMS_TABLE_NAME, AWS_LAMBDA_FUNCTION_NAME } = process.env;
  const makeNow = (): Made => make(claimsTableName());
  let made = CLAIMS_TABLE_NAME || AWS_LAMBDA_FUNCTION_NAME ? makeNow() : undefined;
  return () => (made ??= makeNow());
}

const FOR_TESTS = '`memoryStore()` of batchlatch/memory';

function claimsTableName(): string {
  const tableName = process.env['CLAIMS_TABLE_NAME'];
  if (tableName) return tableName;
  throw new ConfigurationError(
    `No claim store is configured: set CLAIMS_TABLE_NAME, or pass \`store\`, in tests ${FOR_TESTS}`,
  );
}

/**
 * Returns a function that throws in a unit test (`NODE_ENV=test`, as jest and vitest set it) unless the
 * environment names an endpoint: the test would write to AWS with any credentials that it finds. A function
 * that runs in Lambda is not a unit test.
 */
export function refusedInTests<Made>(made: () => Made): () => Made {
  let isAllowed = false;
  return () => {
    const one = made();
    if (!isAllowed && isUnitTest()) throw new BatchlatchError('BATCHLATCH_DEFAULT_STORE_IN_TESTS', IN_TESTS);
    isAllowed = true;
    return one;
  };
}

/**
 * A test would write to DynamoDB in AWS. Over HTTP: 503. Functions in Lambda are never refused. Code:
 * `BATCHLATCH_DEFAULT_STORE_IN_TESTS`.
 *
 * @remarks See docs/recipes/testing.md#without-a-store.
 */
const IN_TESTS =
  `NODE_ENV is \`test\` and no \`store\` is given: pass ${FOR_TESTS}, set AWS_ENDPOINT_URL_DYNAMODB to ` +
  'an emulator, or pass `dynamoDBStore()` to use AWS';

function isUnitTest(): boolean {
  const { NODE_ENV, AWS_LAMBDA_RUNTIME_API, AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL } = process.env;
  if (NODE_ENV !== 'test' || AWS_LAMBDA_RUNTIME_API) return false;
  const hasEndpoint = Boolean(AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL);
  return !hasEndpoint || process.env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
}
