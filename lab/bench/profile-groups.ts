/** Whose code a file is, and the colour of that in the plot. */
export interface ProfileGroup {
  readonly name: string;
  /** Fits the URLs of its files; without one, frames are put into it for other reasons. */
  readonly pattern?: RegExp;
  readonly colour: string;
}

/** Sockets are written to here; the clock runs on while the system lets the emulator work first. */
export const SOCKET_WRITES = 'writes to sockets (and waiting there)';
export const GARBAGE_COLLECTION = 'garbage collection';
export const NATIVE = 'V8 and native';
export const OTHER: ProfileGroup = { name: 'other', colour: '#db61a2' };

/** In the order of the plot. The first pattern that fits a URL decides. */
export const PROFILE_GROUPS: readonly ProfileGroup[] = [
  {
    name: 'signing',
    pattern: /node_modules\/batchlatch\/.*\/aws\/signed-headers\./,
    colour: '#bc8cff',
  },
  {
    name: 'batchlatch, direct transport',
    pattern: /node_modules\/batchlatch\/dist\/\w+\/(aws\/|stores\/dynamodb\/direct-transport)/,
    colour: '#1f6feb',
  },
  { name: 'batchlatch', pattern: /node_modules\/batchlatch\//, colour: '#2f81f7' },
  {
    name: "batchlatch's dependencies",
    pattern: /node_modules\/(p-limit|yocto-queue|canonicalize|leven|quick-lru)\//,
    colour: '#79c0ff',
  },
  { name: 'Powertools', pattern: /node_modules\/@aws-lambda-powertools\//, colour: '#e07a2f' },
  { name: 'AWS SDK', pattern: /node_modules\/@(aws|aws-sdk|smithy)\//, colour: '#a371f7' },
  {
    name: 'pg (driver)',
    pattern: /node_modules\/(pg|pg-[a-z0-9-]+|postgres-[a-z]+|pgpass)\//,
    colour: '#f778ba',
  },
  {
    name: 'Redis client',
    pattern:
      /node_modules\/(@redis|redis|ioredis|@ioredis|redis-errors|denque|standard-as-callback|cluster-key-slot)\//,
    colour: '#ff7b72',
  },
  {
    name: 'hashes and random numbers (node:crypto)',
    pattern: /^node:(internal\/)?crypto/,
    colour: '#39c5cf',
  },
  {
    name: 'Node: HTTP, TLS, sockets, streams',
    pattern: /^node:(internal\/)?(_?https?|_?tls|net|_?stream|js_stream)/,
    colour: '#3fb950',
  },
  { name: 'Node: timers, events, the rest', pattern: /^node:/, colour: '#7ee787' },
  { name: SOCKET_WRITES, colour: '#1a7f37' },
  { name: GARBAGE_COLLECTION, colour: '#f85149' },
  { name: NATIVE, colour: '#d29922' },
  { name: 'the benchmark itself (handler, floor)', pattern: /^file:/, colour: '#8b949e' },
];

/** The group of a file's code, by its URL. */
export function groupOfUrl(url: string): string {
  return PROFILE_GROUPS.find(({ pattern }) => pattern?.test(url))?.name ?? OTHER.name;
}

export function colourOfGroup(name: string): string {
  return PROFILE_GROUPS.find((group) => group.name === name)?.colour ?? OTHER.colour;
}
