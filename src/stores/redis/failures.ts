import { StoreError } from '../../base/errors.ts';
import type { StoreErrorCode } from '../../claims/store-error-code.ts';

/** An error of Redis, recognised by its beginning, and our message. With a `code` it is not retryable. */
interface Failure {
  readonly begins: RegExp;
  readonly message: string;
  readonly code?: StoreErrorCode | 'BATCHLATCH_CONFIGURATION';
}

const FAILURES: readonly Failure[] = [
  {
    begins: /^(NOAUTH|WRONGPASS|ERR (invalid password|Client sent AUTH|AUTH <password>))/,
    message: 'Redis did not accept the user name and password of the client: correct them there',
    code: 'BATCHLATCH_CREDENTIALS',
  },
  {
    begins: /^OOM\b/,
    message:
      'The memory of Redis is full (`maxmemory`): it stores no claims. Add memory, or shorten `retentionMs`',
  },
  {
    begins: /^READONLY\b/,
    message: 'This Redis is a read-only replica: connect to its primary, or wait for a failover',
  },
  { begins: /^LOADING\b/, message: 'Redis is still loading its data after a start' },
  { begins: /^MASTERDOWN\b/, message: 'This Redis is a replica without a link to its primary' },
  {
    begins: /^(CLUSTERDOWN|TRYAGAIN|MOVED|ASK|Too many Cluster redirections)\b/,
    message: 'The cluster does not serve the slot of these claims at the moment',
  },
  {
    begins: /^BUSY\b/,
    message: 'Another script runs longer than `busy-reply-threshold`: end it by SCRIPT KILL',
  },
  {
    begins: /^NOREPLICAS\b/,
    message: 'Redis has fewer replicas than `min-replicas-to-write` asks for: start them, or lower it',
  },
  {
    begins: /^MISCONF\b/,
    message:
      'Redis takes no writes: it cannot save its data to disk (`stop-writes-on-bgsave-error`). Free space',
  },
  {
    begins: /^CROSSSLOT\b/,
    message:
      'This Redis is a cluster behind one endpoint: set `slots` of redisStore, to group claims by slot',
    code: 'BATCHLATCH_CONFIGURATION',
  },
];

/** Server errors begin with a word in capitals. Others come from the client, mostly for a lost connection. */
const FROM_SERVER = /^[A-Z]{2,} /;

/** Temporary errors of the server. */
const PASSING = /^ERR (max number of clients|max clients)/;

/**
 * Returns a `StoreError` for an error of the client or a script. The kept `cause` is without the command,
 * which clients add to their errors with all arguments.
 */
export function toStoreError(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const { message, code } = told(thrown);
  const cause = withoutCommand(thrown, message, code);
  const failure = FAILURES.find(({ begins }) => begins.test(message));
  if (failure !== undefined) {
    const { code: stable } = failure;
    const isRetryable = stable === undefined;
    return new StoreError(`${failure.message}.`, { cause, isRetryable, ...(stable && { code: stable }) });
  }
  if (/^NOPERM\b|^ERR The user executing the script/.test(message)) return accessDenied(message, cause);
  const isRetryable = !FROM_SERVER.test(message) || PASSING.test(message);
  return new StoreError(`Redis: ${shown(message)}`, { cause, isRetryable });
}

function accessDenied(message: string, cause: Error): StoreError {
  const command = /'([a-z|]+)'/i.exec(message)?.[1];
  const what = /\bkeys?\b/.test(message.replace(/'[^']*'$/, ''))
    ? 'the keys of the claims. Allow the pattern of their prefix, such as `~batchlatch:*`,'
    : `${command === undefined ? 'a command of a script' : `the command ${command.toUpperCase()}`}. Allow it`;
  return new StoreError(
    `The ACL of Redis refuses ${what} for the user of the client (see docs/stores/redis.md).`,
    { cause, isRetryable: false, code: 'BATCHLATCH_ACCESS_DENIED' },
  );
}

export function isUnknownScript(thrown: unknown): boolean {
  return told(thrown).message.startsWith('NOSCRIPT');
}

export function isUnknownCommand(thrown: unknown): boolean {
  return told(thrown).message.startsWith('ERR unknown command');
}

/** Whether the slot of the command is another node's now. */
export function hasMoved(thrown: unknown): boolean {
  return told(thrown).message.startsWith('MOVED');
}

function told(thrown: unknown): { readonly message: string; readonly code: string } {
  if (typeof thrown === 'string') return { message: thrown, code: '' };
  if (typeof thrown !== 'object' || thrown === null) return { message: String(thrown), code: '' };
  const { message, code, name, errors } = thrown as Readonly<Record<string, unknown>>;
  // If a host has several addresses, Node reports an error for each.
  if (message === '' && Array.isArray(errors) && errors.length > 0) return told(errors[0]);
  return {
    message: typeof message === 'string' && message !== '' ? message : String(name),
    code: typeof code === 'string' ? code : '',
  };
}

function withoutCommand(thrown: unknown, message: string, code: string): Error {
  const error = new Error(shown(message));
  if (thrown instanceof Error) error.name = thrown.name;
  return Object.assign(error, code !== '' && { code });
}

const LONGEST_SHOWN = 300;

function shown(message: string): string {
  // oxlint-disable-next-line no-control-regex -- characters that a terminal would obey
  const text = message.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').toWellFormed();
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…`.toWellFormed() : text;
}
