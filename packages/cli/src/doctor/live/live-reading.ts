import { ConfigurationError } from '../../tool-base/errors.ts';

/** What could not be read, with the permission that it needs. */
export class LiveReading {
  readonly skipped: string[] = [];

  /** What `read` gives; undefined, and noted, where it is refused. A network that fails is an error. */
  async optional<T>(what: string, permission: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      return isAbsent(error) ? undefined : this.#refused(what, permission, error);
    }
  }

  /** The same, for what was named: an error if it is not there. */
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
/** The last two: a service, or an emulator, that does not know the call. */
const REFUSED =
  /AccessDenied|NotAuthorized|Unauthorized|Forbidden|UnknownOperation|NotImplemented|UnsupportedOperation|InvalidAction/;

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
