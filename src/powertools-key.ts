import type { KeySelector } from './keys/key-selector.ts';
import { powertoolsId, type PowertoolsKeyOptions } from './keys/powertools-key.ts';

/**
 * The id that Powertools' idempotency utility gives the same record: `<function's name>#<hash>`, so that a table
 * that Powertools has written goes on to be of use. It is the whole key; no namespace is put before it. Throws a
 * `KeyError` for a record in which nothing is found: Powertools runs it without idempotency, or under one id with
 * all others like it.
 *
 * The function's name is what `AWS_LAMBDA_FUNCTION_NAME` holds when this is called, as in Powertools when its
 * persistence layer is made.
 *
 * @example
 * createBatchProcessor(handler, { store, key: powertoolsKey({ eventKeyJmesPath: 'messageId' }) });
 */
export function powertoolsKey(options: PowertoolsKeyOptions = {}): KeySelector {
  return powertoolsId(options, process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? '');
}
