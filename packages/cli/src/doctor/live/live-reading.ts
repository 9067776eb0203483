import { ConfigurationError } from '../../tool-base/errors.ts';

/** Reader of deployed resources: collects what cannot be read, with the permission that it needs. */
export class LiveReading {
  readonly skipped: string[] = [];

  /** Returns the result of `read`; undefined if nothing exists or, with a note, if access is refused. */
  async optional<T>(what: string, permission: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      return isAbsent(error) ? undefined : this.#refused(what, permission, error);
    }
  }

  /** Like `optional`, but throws a `ConfigurationError` if it does not exist. */
  async named<T>(what: string, permission: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isAbsent(error)) return this.#refused(what, permission, error);
      throw new ConfigurationError(`There is no ${what}. Check its name, the region and the account.`, {
        cause: error,
      });
    }
  }

  #refused(what: string, permission: string, error: unknown): undefined {
    if (!isRefusal(error)) throw error;
    this.skipped.push(`${what}: it needs ${permission} (${nameOf(error)})`);
  }
}

const ABSENT = /NotFound|NonExistent|NoSuchEntity|DoesNotExist/;
/** Permission errors, and the errors of a service or emulator that does not know the call. */
const REFUSED = new RegExp(
  'AccessDenied|NotAuthorized|Unauthorized|Forbidden|' +
    'UnknownOperation|NotImplemented|UnsupportedOperation|InvalidAction',
);

function isAbsent(error: unknown): boolean {
  return ABSENT.test(nameOf(error));
}

function isRefusal(error: unknown): boolean {
  return REFUSED.test(nameOf(error));
}

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'name' in error
    ? String(error.name)
    : 'unknown error';
}
