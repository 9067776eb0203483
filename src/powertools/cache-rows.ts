import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';
import type { Claim } from '../claims/claim.ts';
import { StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { keyHash } from '../base/key-hash.ts';
import { jsonIn } from '../claims/row-format.ts';
import type { Row } from '../stores/dynamodb/row.ts';
import { powertoolsAttributesNamed, type PowertoolsTableOptions } from './powertools-attributes.ts';

/** The options of Powertools' `CachePersistenceLayer` that say what its values are called, by the names they have there. */
export type PowertoolsCacheNames = Omit<PowertoolsTableOptions, 'keyAttr' | 'sortKeyAttr' | 'staticPkValue'>;

export type CacheRows = ReturnType<typeof cacheRows>;

/** Claims as values of Powertools' cache: the rows of its table (docs/decisions/0011) as JSON. */
export function cacheRows(names: PowertoolsCacheNames) {
  const format = powertoolsAttributesNamed(names);
  const dataAttr = format.names.result;
  return {
    toText({ result, ...claim }: Claim): string {
      const { [format.names.key]: _key, ...row } = format.toRow(claim);
      const value = Object.fromEntries(
        Object.entries(row).map(([name, attribute]) => [name, convertToNative(attribute)]),
      );
      return JSON.stringify(result === undefined ? value : { ...value, ...resultMember(dataAttr, result) });
    },
    /** Throws a `StoreError` (`BATCHLATCH_NOT_A_CLAIM`) for a value that is no claim. */
    toClaim(key: string, text: string): Claim {
      const value = jsonIn(text);
      if (!isObject(value)) {
        throw new StoreError(
          `The value whose key has the hash ${keyHash(key)} is not an idempotency record of Powertools: it is no JSON object`,
          { isRetryable: false, code: 'BATCHLATCH_NOT_A_CLAIM' },
        );
      }
      const row: Row = { [format.names.key]: { S: key } };
      for (const [name, member] of Object.entries(value)) {
        // A result may be anything; the format takes its JSON as well.
        if (name === dataAttr) row[TEXT] = { S: JSON.stringify(member) };
        else if (format.attributes.includes(name) && member !== null) row[name] = convertToAttr(member);
      }
      return format.toClaim(row);
    },
  };
}

/** Where the format keeps a result that is not a document. */
const TEXT = 'result';

/** Text that is no JSON, as a serializer may make it, is kept beside what Powertools would replay. */
function resultMember(dataAttr: string, result: string): Readonly<Record<string, unknown>> {
  const data = jsonIn(result);
  return data === undefined ? { [TEXT]: result } : { [dataAttr]: data };
}
