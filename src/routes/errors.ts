import { BatchlatchError } from '../base/errors.ts';

const LONGEST_SHOWN = 100;

/** A record that another version of this consumer may handle. It is `invalid`, and handed back. */
export abstract class MayFitLaterError extends BatchlatchError {}

/**
 * The record has no type, or one that `routes()` does not handle. It is `invalid`, and handed back because
 * its sender may be deployed before this consumer. Code: `BATCHLATCH_UNKNOWN_TYPE`.
 *
 * @remarks Deploy a consumer that knows the type, or set `otherwise`.
 */
export class UnknownTypeError extends MayFitLaterError {
  override name = 'UnknownTypeError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param type The type of the record; undefined if it has none.
   */
  constructor(type: string | undefined) {
    const found = type === undefined ? 'The record has no type' : `No route handles the type ${quoted(type)}`;
    super('BATCHLATCH_UNKNOWN_TYPE', `${found}; deploy a consumer that does, or set \`otherwise\``);
  }
}

/**
 * The version of a record is newer than its type's schema here, or is no version. The record is `invalid`,
 * and handed back because its sender may be deployed before this consumer. Code:
 * `BATCHLATCH_UNKNOWN_VERSION`.
 *
 * @remarks Deploy a consumer that knows the version.
 */
export class UnknownVersionError extends MayFitLaterError {
  override name = 'UnknownVersionError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param type The type of the record.
   * @param version The attribute `version` of the record.
   * @param newest The newest version that this consumer knows.
   */
  constructor(type: string, version: string, newest: number) {
    super(
      'BATCHLATCH_UNKNOWN_VERSION',
      `Expected a version of ${type} from 1 to ${newest}, got ${quoted(version)}; ` +
        'deploy a consumer that knows it',
    );
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}
