import { BatchlatchError } from '../base/errors.ts';

const LONGEST_SHOWN = 100;

/**
 * The record has no type, or one that `routes()` does not handle. It is `invalid`, and handed back because
 * its sender may be deployed before this consumer. Code: `BATCHLATCH_UNKNOWN_TYPE`.
 *
 * @remarks Deploy a consumer that knows the type, or set `otherwise`.
 */
export class UnknownTypeError extends BatchlatchError {
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
export class UnknownVersionError extends BatchlatchError {
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

/**
 * An upgrade threw, or the schema of an old version threw or was asynchronous. The record is `invalid`, and
 * handed back. Code: `BATCHLATCH_UPGRADE_FAILED`.
 *
 * @remarks Fix the upgrade. The `cause` is its error.
 */
export class UpgradeFailedError extends BatchlatchError {
  override name = 'UpgradeFailedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param version The version that was upgraded.
   * @param options The error of the upgrade, as the `cause`.
   */
  constructor(version: number, options: { cause: unknown }) {
    super('BATCHLATCH_UPGRADE_FAILED', `The upgrade from version ${version} failed; see the cause`, options);
  }
}

/** Returns whether another version of this consumer may handle the record. */
export function mayFitLater(error: unknown): boolean {
  return (
    error instanceof UnknownTypeError ||
    error instanceof UnknownVersionError ||
    error instanceof UpgradeFailedError
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}
