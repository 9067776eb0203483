import { UsageError } from './cli-error.ts';

/** Returns the error for a file of the arguments that cannot be read. `what`: such as `The file a.txt`. */
export function unreadable(what: string, { code, message }: NodeJS.ErrnoException): UsageError {
  return new UsageError(`${what} ${REASONS.get(code) ?? `cannot be read: ${message}`}`);
}

/** Node's messages would repeat the name. */
const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'does not exist: check the path.'],
  ['EISDIR', 'is a folder: name a file.'],
  ['EACCES', 'may not be read by this user: change its permissions.'],
]);
