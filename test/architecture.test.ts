import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';

/**
 * The rooms of `src` and of `packages`, and what each may import: other rooms, or single files of them. A new room has to be
 * entered here, and a new direction too. Every room may import `base`, which imports nothing. `.` are the files directly
 * in `src`, which put the rooms together. From `tool-base` on the rooms are in `packages`.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  // Knows nothing of what this library is for.
  base: [],
  claims: [],
  sources: ['options'],
  keys: ['claims', 'sources', 'options'],
  // Of observe only the contract; whoever puts the rooms together chooses an implementation.
  queues: ['claims'],
  // How options are checked, whoever has them.
  options: [],
  // Which requests a server of this machine refuses, whoever serves.
  guard: [],
  // One description of messages for their sender and their consumer.
  messages: ['keys', 'options'],
  // One attempt of one key, whoever makes it.
  attempts: ['claims', 'observe/observed.ts', 'observe/observer.ts'],
  // Knows what is around records by its contract only, which is its own.
  batch: [
    'claims',
    'attempts',
    'sources',
    'keys',
    'queues',
    'options',
    'observe/observed.ts',
    'observe/observer.ts',
    'observe/tell-observer.ts',
  ],
  around: ['claims', 'attempts', 'batch', 'sources', 'keys', 'queues', 'options', 'messages'],
  // Handlers by type of message.
  routes: [
    'claims',
    'attempts',
    'batch',
    'sources',
    'keys',
    'options',
    'messages',
    'around/standard-schema.ts',
  ],
  observe: ['claims', 'options', 'aws/request-watch.ts'],
  // Of an optional package.
  opentelemetry: [
    'claims',
    'options',
    'messages/trace-headers.ts',
    'observe/observed.ts',
    'observe/observer.ts',
    'aws/request-watch.ts',
  ],
  // What can be put before any store.
  stores: ['claims', 'options', 'stores/rows/result-forms.ts'],
  // Deciding over rows and conditions, for stores whose database has such.
  'stores/rows': ['claims'],
  'stores/dynamodb': ['claims', 'options', 'stores/rows', 'stores/dynamodb/sdk', 'aws', 'aws/sdk'],
  // Requests to any service of AWS, without its SDK.
  aws: [],
  // What is asked of the SDK all the same, loaded when it is needed.
  'aws/sdk': ['aws'],
  // Knows nothing of what is stored.
  'stores/dynamodb/sdk': ['stores/dynamodb/transport.ts', 'aws/sdk'],
  'stores/memory': ['claims', 'options'],
  'stores/postgres': ['claims', 'options', 'stores/rows'],
  'stores/redis': ['claims', 'options', 'stores/rows'],
  jmespath: ['sources', 'keys'],
  powertools: [
    'claims',
    'sources',
    'keys',
    'jmespath',
    'options',
    'stores/rows',
    'stores/dynamodb/row.ts',
    'stores/redis/connection.ts',
    'stores/redis/failures.ts',
    'stores/redis/redis-client.ts',
  ],
  s3: ['claims', 'sources', 'options', 'messages/large-bodies.ts'],
  outbox: [
    'claims',
    'messages',
    'keys',
    'options',
    'observe/json-lines.ts',
    'observe/log-line.ts',
    'observe/tell-observer.ts',
    'sources',
    'stores/dynamodb',
    'stores/dynamodb/sdk',
    'stores/postgres',
    'stores/rows/row-writer.ts',
  ],
  // How payloads name their schemas, and where these are fetched.
  'schema-registry': ['sources', 'options'],
  avro: ['sources', 'options', 'schema-registry'],
  protobuf: ['sources', 'options', 'schema-registry'],
  worker: ['attempts', 'aws', 'aws/sdk', 'guard', 'options'],
  sender: ['aws', 'aws/sdk', 'messages', 'options'],
  durable: [
    'claims',
    'sources',
    'options',
    'attempts/errors.ts',
    'batch/record-handler.ts',
    'keys/canonical-json.ts',
  ],
  // The store where nobody names one is DynamoDB's, as for batches.
  functions: [
    'claims',
    'attempts',
    'keys',
    'options',
    'around/wait-for-owner.ts',
    'observe/observed.ts',
    'observe/observer.ts',
    'stores/dynamodb/dynamodb-store.ts',
  ],
  http: ['claims', 'attempts', 'keys', 'options', 'functions', 'sources/errors.ts'],
  // What people do to claims and dead letters, over any store.
  // Where nobody names an admin it is DynamoDB's.
  monitor: [
    'claims',
    'options',
    'observe/json-lines.ts',
    'observe/log-line.ts',
    'operations/parked-kind.ts',
    'outbox/outbox-admin.ts',
    'outbox/outbox-metrics.ts',
    'stores/dynamodb/dynamodb-admin.ts',
  ],
  operations: [
    'claims',
    'aws/sdk',
    'guard',
    'messages/message-key.ts',
    'options',
    'queues',
    'keys',
    'sources',
  ],
  testing: [
    'claims',
    'messages',
    'options',
    'sender/send-error.ts',
    'sender/sender.ts',
    'worker/failed-items.ts',
  ],
  // How texts from elsewhere are shown, whoever shows them.
  text: [],
  // What is small and used by all tools: time, errors, checks of options.
  'tool-base': ['core.ts', 'stores/postgres/index.ts'],
  // CloudFormation's and SAM's templates as data, their functions worked out.
  template: ['tool-base'],
  // Reads templates and accounts; only the command line tool uses it.
  doctor: ['stores/postgres/index.ts', 'stores/redis/index.ts', 'template', 'text', 'tool-base'],
  // A Lambda on this machine; only the command line tool uses it.
  dev: ['operations/index.ts', 'template', 'testing/index.ts', 'tool-base'],
  // What others deploy; the monitor's code is what the construct brings along.
  cdk: ['monitor/index.ts'],
  // What a browser shows; only the command line tool uses it.
  console: ['operations/index.ts', 'outbox/index.ts', 'outbox-rows', 'tool-base'],
  // Rows of an outbox as people see and change them, for the command line and the console.
  'outbox-rows': ['outbox/index.ts', 'tool-base'],
  // The console for a team; the constructs deploy it.
  'console-function': [
    'cloudwatch',
    'console',
    'operations/index.ts',
    'outbox/index.ts',
    'outbox-rows',
    'sending',
    'stores/dynamodb/index.ts',
    'tool-base',
  ],
  // Messages of a person, for the command line and for both consoles.
  sending: ['console', 'sender/index.ts', 'tool-base'],
  // Metrics and log lines, without the SDK of CloudWatch.
  cloudwatch: ['console'],
  // What `console --demo` is opened on; only the command line tool uses it.
  'console-demo': [
    'core.ts',
    'console',
    'dev',
    'messages.ts',
    'observe/index.ts',
    'operations/index.ts',
    'outbox/index.ts',
    'sender/index.ts',
    'stores/dynamodb/index.ts',
    'worker/index.ts',
  ],
  // The bin. Nothing imports it, and it is no part of what programs import.
  cli: [
    'core.ts',
    'operations/index.ts',
    'outbox/index.ts',
    'outbox-rows',
    'stores/dynamodb/index.ts',
    'stores/postgres/index.ts',
    'stores/redis/index.ts',
    'powertools/index.ts',
    'doctor',
    'dev',
    'template',
    'console',
    'console-demo',
    'cloudwatch',
    'sending',
    'testing/index.ts',
    'text',
    'tool-base',
    'worker/index.ts',
  ],
  // What there is with nothing said.
  // Of a client of the SDK, that it has the methods that are called.
  presets: [
    'claims',
    'aws/sdk',
    'attempts/host.ts',
    'batch',
    'around',
    'options',
    'queues',
    'sources',
    'observe',
    'routes/routes.ts',
    'stores/dynamodb',
  ],
  '.': [
    'claims',
    'attempts',
    'batch',
    'around',
    'sources',
    'keys',
    'messages',
    'queues',
    'routes',
    'observe',
    'messages',
    'options/command-client.ts',
    'stores',
    'presets',
  ],
};

/** At the edge: they use the others, and nobody uses them. */
const NEVER_IMPORTED = ['cli'];

/** The folders of the other packages, and what their paths here begin with: the rooms of the command line are called as its folders. */
const PACKAGES: Readonly<Record<string, string>> = { 'packages/cli/src': '', 'packages/cdk/src': 'cdk' };

/** The rooms of the other packages. They import public entries of the library, by the name of the package, and nothing else of it. */
const TOOLS = new Set([
  'cdk',
  'cli',
  'cloudwatch',
  'console',
  'console-demo',
  'dev',
  'doctor',
  'outbox-rows',
  'sending',
  'template',
  'text',
  'tool-base',
]);

const { exports: entries } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
const PUBLIC = new Set(Object.keys(entries).map((entry) => posix.join('batchlatch', entry)));

/** Who talks to AWS. */
const KNOWS_AWS = new Set([
  'aws/sdk',
  'stores/dynamodb',
  'stores/dynamodb/sdk',
  'outbox',
  'powertools',
  's3',
  'schema-registry',
  'worker',
  'durable',
  'cli',
  'dev',
  'console-demo',
  'console-function',
]);
/** Converts DynamoDB's JSON and talks to nobody. */
const MERELY_CONVERTS = '@aws-sdk/util-dynamodb';

/** Rooms that get time, chance and identity as arguments, and the files that know the machine's. */
const PURE = new Set([
  'base',
  'claims',
  'sources',
  'keys',
  'queues',
  'attempts',
  'batch',
  'around',
  'routes',
  'jmespath',
  'functions',
  'http',
  'stores',
  'stores/rows',
  'stores/memory',
  'stores/redis',
  'monitor',
]);
const KNOWS_THE_MACHINE = new Set([
  'claims/pass-on.ts',
  'base/built-in.ts',
  'base/clock.ts',
  'functions/default-ports.ts',
  'keys/payload-hash.ts',
  'sources/function-memory.ts',
  'http/idempotent-http.ts',
  'stores/redis/check-redis.ts',
  'monitor/default-ports.ts',
]);

describe('src, with the sources of the other packages,', () => {
  const files = readSources();

  it('has the rooms of the table, and no others', () => {
    expect([...new Set([...files.keys()].map(roomOf))].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  it('has a row for each room in docs/architecture.md', () => {
    const page = readFileSync('docs/architecture.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([^`]+)` \| /gm)]
      .map(([, room = '']) => room)
      .filter((room) => !room.endsWith('.ts')); // the files of a record have a table too
    expect(rows.toSorted()).toEqual(Object.keys(ROOMS).toSorted());
  });

  it('has tests for each room, in a folder of its name', () => {
    const withoutTests = Object.keys(ROOMS).filter((room) => {
      const [folder = ''] = room.split('/');
      const places = [`test/${folder}`, `packages/cli/test/${folder}`, `packages/${folder}/test`];
      return room !== '.' && !places.some((place) => existsSync(place));
    });
    // Small helpers of the command line, tested by the tests of what uses them.
    expect(withoutTests).toEqual(['text', 'tool-base']);
  });

  it('keeps the directions between its rooms', () => {
    expect(wrongDirections(files)).toEqual([]);
  });

  it('has files of one idea: none over 300 lines', () => {
    // The markers of rules are for tests, see lab/rules.
    const isOfTheFile = (line: string): boolean => !line.trimStart().startsWith('// rule: ');
    const lines = [...files].map(
      ([path, source]) => [path, source.split('\n').filter(isOfTheFile).length - 1] as const,
    );
    expect(lines.filter(([, count]) => count > 300)).toEqual([]);
  });

  it('has packages that import public entries, and nothing else of the library', () => {
    expect(privateImports(files)).toEqual([]);
  });

  it('leaves what is at the edge alone', () => {
    for (const room of NEVER_IMPORTED) expect(importersOf(room, files)).toEqual([]);
  });

  it("knows AWS's SDK in few rooms, and not in batch", () => {
    expect(sdkImports(files)).toEqual([]);
  });

  it('knows the shapes of events as types only', () => {
    const atRunTime = importsOf(files).filter(
      ({ specifier, isType }) => specifier === 'aws-lambda' && !isType,
    );
    expect(atRunTime).toEqual([]);
  });

  it('takes time, chance and identity as arguments', () => {
    expect(impurities(files)).toEqual([]);
  });

  it("takes Node's modules as the process has them where most functions pay for their start", () => {
    expect(importsOfNode('presets/batch-processor.ts', files)).toEqual([]);
  });

  it('makes no function in an assignment to a member where there are many', () => {
    expect(longLivedFunctions(files)).toEqual([]);
  });
});

describe('the checks see', () => {
  it.each([
    ['an import', "import { a } from '../stores/memory/a.ts';"],
    ['an import of a type', "import type { A } from '../stores/memory/a.ts';"],
    ['an import for its effect', "import '../stores/memory/a.ts';"],
    ['an export from elsewhere', "export { a } from '../stores/memory/a.ts';"],
    ['an export of everything', "export * from '../stores/memory/a.ts';"],
    ['an import at run time', "const a = await import('../stores/memory/a.ts');"],
    ['an import inside a type', "type A = import('../stores/memory/a.ts').A;"],
    ['an import by the name of the package', "import { a } from 'batchlatch/memory';"],
  ])('%s against the table', (_what, source) => {
    expect(wrongDirections(new Map([['batch/x.ts', source]]))).toEqual(['batch/x.ts imports stores/memory']);
  });

  it('that batch may import of observe the contract alone', () => {
    const files = (file: string): Sources =>
      new Map([['batch/x.ts', `import { a } from '../observe/${file}';`]]);
    expect(wrongDirections(files('observer.ts'))).toEqual([]);
    expect(wrongDirections(files('json-lines.ts'))).toEqual(['batch/x.ts imports observe']);
  });

  it('that one way to DynamoDB may not import the other', () => {
    const files = new Map([['stores/dynamodb/sdk/x.ts', "import { a } from '../../../aws/answers.ts';"]]);
    expect(wrongDirections(files)).toEqual(['stores/dynamodb/sdk/x.ts imports aws']);
  });

  it('that one store may not import another', () => {
    const files = new Map([['stores/memory/x.ts', "import { a } from '../dynamodb/row.ts';"]]);
    expect(wrongDirections(files)).toEqual(['stores/memory/x.ts imports stores/dynamodb']);
  });

  it('a room that is missing from the table', () => {
    expect(wrongDirections(new Map([['attic/x.ts', '']]))).toEqual(['attic is not in the table of rooms']);
    const files = new Map([['index.ts', "import { a } from './attic/x.ts';"]]);
    expect(wrongDirections(files)).toEqual(['index.ts imports attic']);
  });

  it('that another package uses what is not public', () => {
    const imports = (source: string): string[] => privateImports(new Map([['cli/claims/x.ts', source]]));
    expect(imports("import { a } from '../../claims/claim.ts';")).toEqual([
      'cli/claims/x.ts imports ../../claims/claim.ts',
    ]);
    expect(imports("const a = await import('../../operations/index.ts');")).toHaveLength(1);
    expect(imports("export * from '../../../../../src/index.ts';")).toHaveLength(1);
    expect(imports("import type { A } from 'batchlatch/dist/esm/index.js';")).toHaveLength(1);
    expect(imports("import type { A } from 'batchlatch/claims';")).toHaveLength(1);
    expect(imports("import { a } from 'batchlatch/operations'; import { b } from '../../dev/x.ts';")).toEqual(
      [],
    );
  });

  it('imports from the edge, and out of src', () => {
    const files = new Map([
      ['index.ts', "import { a } from './cli/x.ts';"],
      ['claims/x.ts', "import { a } from '../../test/x.ts';"],
    ]);
    expect(importersOf('cli', files)).toEqual(['index.ts']);
    expect(wrongDirections(files)).toEqual(['index.ts imports cli', 'claims/x.ts imports ..']);
  });

  it.each([
    "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';",
    "import type { A } from '@aws-sdk/client-sqs';",
  ])("AWS's SDK in batch: %s", (source) => {
    expect(sdkImports(new Map([['batch/x.ts', source]]))).toHaveLength(1);
    expect(sdkImports(new Map([['stores/dynamodb/x.ts', source]]))).toEqual([]);
  });

  it.each([
    ['Date.now()', 'Date.now'],
    ["globalThis['Date'].now()", 'globalThis'],
    ['new Date()', 'new Date()'],
    ['setTimeout(run, 5)', 'setTimeout'],
    ['const later = setInterval', 'setInterval'],
    ['setImmediate(run)', 'setImmediate'],
    ['Math.random()', 'Math.random'],
    ['const { random } = Math', 'Math'],
    ['crypto.randomUUID()', 'randomUUID'],
    ['performance.now()', 'performance'],
    ['process.env.NAME', 'process'],
  ])('%s in batch', (source, found) => {
    expect(impurities(new Map([['batch/x.ts', source]]))).toEqual([`batch/x.ts uses ${found}`]);
  });

  it("an import of one of Node's modules, however far away", () => {
    const files = new Map([
      ['presets/x.ts', "import { a } from '../claims/x.ts';"],
      ['claims/x.ts', "const a = () => import('../base/x.ts'); import type { Socket } from 'node:net';"],
      ['base/x.ts', "import { hash } from 'node:crypto';"],
      ['keys/x.ts', "import { hash } from 'node:crypto';"],
    ]);
    expect(importsOfNode('presets/x.ts', files)).toEqual(['base/x.ts imports node:crypto']);
  });

  it.each(['this.f = () => 1;', 'x.y.f = async () => 1;', 'x.f ??= function () {};', 'x.f = (() => 1);'])(
    'a function that lives long: %s',
    (source) => {
      expect(longLivedFunctions(new Map([['batch/x.ts', source]]))).toEqual(['batch/x.ts']);
      expect(longLivedFunctions(new Map([['cli/x.ts', source]]))).toEqual([]);
    },
  );

  it('none in a field, in a literal, or behind a name', () => {
    const source = 'class A { f = () => 1; }; const f = () => 1; x.f = f; x.g = { f: () => 1 };';
    expect(longLivedFunctions(new Map([['batch/x.ts', source]]))).toEqual([]);
  });

  it('no harm in what only looks like it', () => {
    const source =
      "/* Date.now() */ new Date(0); Math.max(1, 2); clock.setTimer; const text = 'setTimeout()'; type T = Date;";
    expect(impurities(new Map([['batch/x.ts', source]]))).toEqual([]);
  });
});

/** Sources by their path in `src`, with `/`; those of other packages as `PACKAGES` says. */
type Sources = ReadonlyMap<string, string>;

function readSources(): Sources {
  const sources = Object.entries({ src: '', ...PACKAGES }).flatMap(([folder, prefix]) => {
    const root = join(dirname(fileURLToPath(import.meta.url)), '..', folder);
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path): [string, string] => {
        const name = posix.join(prefix, relative(root, path).replaceAll(sep, '/'));
        return [name, readFileSync(path, 'utf8')];
      });
  });
  return new Map(sources);
}

/** A room is a folder of `src`; each store is one of its own, and so are the folders in it, and in `aws`. */
function roomOf(path: string): string {
  if (path.startsWith('../')) return '..';
  const folders = path.split('/').slice(0, -1);
  if (folders[0] === undefined) return '.';
  return folders[0] === 'stores' || folders[0] === 'aws' ? folders.join('/') : folders[0];
}

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The path in `src`; undefined for packages. */
  readonly target: string | undefined;
  readonly isType: boolean;
}

const imported = new WeakMap<Sources, Import[]>();

function importsOf(files: Sources): Import[] {
  const known = imported.get(files);
  if (known !== undefined) return known;
  const found = [...files].flatMap(([from, source]) => {
    const imports: Import[] = [];
    walk(parse(source), (node) => {
      const { value: specifier } = (node['source'] ?? {}) as { value?: string };
      if (/^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type) && specifier !== undefined) {
        const isType = (node['typeOnly'] ?? false) as boolean;
        imports.push({ from, specifier, target: targetOf(from, specifier), isType });
      }
      const called = node as { callee?: { type: string }; arguments?: { expression: { value?: string } }[] };
      const dynamic = called.callee?.type === 'Import' ? called.arguments?.[0]?.expression.value : undefined;
      const inType = node.type === 'TsImportType' ? (node['argument'] as { value: string }).value : undefined;
      const later = dynamic ?? inType;
      if (later === undefined) return;
      const isType = inType !== undefined;
      imports.push({ from, specifier: later, target: targetOf(from, later), isType });
    });
    return imports;
  });
  imported.set(files, found);
  return found;
}

function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier));
  if (specifier === 'batchlatch') return 'index.ts';
  const [, entry] = /^batchlatch\/(.+)$/.exec(specifier) ?? [];
  if (entry === undefined) return undefined;
  if (entry === 'core' || entry === 'messages') return `${entry}.ts`;
  return Object.hasOwn(ROOMS, `stores/${entry}`) ? `stores/${entry}/index.ts` : `${entry}/index.ts`;
}

function wrongDirections(files: Sources): string[] {
  const missing = [...new Set([...files.keys()].map(roomOf))].filter((room) => !Object.hasOwn(ROOMS, room));
  const wrong = importsOf(files).filter(({ from, target }) => {
    if (target === undefined || roomOf(from) === roomOf(target)) return false;
    const allowed = ROOMS[roomOf(from)] ?? [];
    return roomOf(target) !== 'base' && !allowed.includes(roomOf(target)) && !allowed.includes(target);
  });
  return [
    ...missing.map((room) => `${room} is not in the table of rooms`),
    ...wrong.map(({ from, target }) => `${from} imports ${roomOf(target as string)}`),
  ];
}

function privateImports(files: Sources): string[] {
  return importsOf(files)
    .filter(({ from, specifier, target }) => {
      if (target === undefined || !TOOLS.has(roomOf(from)) || PUBLIC.has(specifier)) return false;
      return !TOOLS.has(roomOf(target));
    })
    .map(({ from, specifier }) => `${from} imports ${specifier}`);
}

function importersOf(room: string, files: Sources): string[] {
  return importsOf(files)
    .filter(({ from, target }) => target !== undefined && roomOf(target) === room && roomOf(from) !== room)
    .map(({ from }) => from);
}

function sdkImports(files: Sources): string[] {
  return importsOf(files)
    .filter(
      ({ from, specifier }) =>
        /^(@aws-sdk|@smithy|@aws)\//.test(specifier) &&
        specifier !== MERELY_CONVERTS &&
        !KNOWS_AWS.has(roomOf(from)),
    )
    .map(({ from, specifier }) => `${from} imports ${specifier}`);
}

/** What a file imports of Node, with all files that it imports, as `builtIn` says why it should not. */
function importsOfNode(path: string, files: Sources): string[] {
  const reached = new Set([path]);
  const found: string[] = [];
  for (const one of reached) {
    for (const { from, specifier, target, isType } of importsOf(files)) {
      if (from !== one || isType) continue;
      if (specifier.startsWith('node:')) found.push(`${from} imports ${specifier}`);
      else if (target !== undefined) reached.add(target);
    }
  }
  return found;
}

/** `Math.max` and `new Date(0)` are as good as any function; these are not. */
const GLOBALS = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'performance',
  'process',
  'globalThis',
  'randomUUID',
]);
const HARMLESS_MEMBERS: Readonly<Record<string, (member: string) => boolean>> = {
  Date: (member) => member !== 'now',
  Math: (member) => member !== 'random',
};

function impurities(files: Sources): string[] {
  const pure = [...files].filter(([path]) => PURE.has(roomOf(path)) && !KNOWS_THE_MACHINE.has(path));
  return pure.flatMap(([path, source]) => {
    const found = new Set<string>();
    const judged = new Set<unknown>();
    walk(parse(source), (node) => {
      const object = node['object'] as Node | undefined;
      const property = node['property'] as Node | undefined;
      const callee = node['callee'] as Node | undefined;
      if (node.type === 'MemberExpression' && property?.type === 'Identifier') {
        const [owner, member] = [nameOf(object), nameOf(property) as string];
        const isHarmless = HARMLESS_MEMBERS[owner ?? ''];
        if (isHarmless !== undefined) judged.add(object);
        if (isHarmless?.(member) === false) found.add(`${owner}.${member}`);
        if (member !== 'randomUUID') judged.add(property); // `clock.setTimeout` is somebody's own
      }
      if (node.type === 'NewExpression' && nameOf(callee) === 'Date') {
        judged.add(callee);
        if (((node['arguments'] ?? []) as unknown[]).length === 0) found.add('new Date()');
      }
      if (node.type === 'TsTypeReference') judged.add(node['typeName']);
      const name = nameOf(node);
      if (name === undefined || judged.has(node)) return;
      if (GLOBALS.has(name) || Object.hasOwn(HARMLESS_MEMBERS, name)) found.add(name);
    });
    return [...found].map((name) => `${path} uses ${name}`);
  });
}

/**
 * V8 puts the function of `a.b = () => …` into its old generation at once, as if it were a method of a prototype (decision 0049). Until the
 * next full collection it keeps alive all that it can see: nearly the whole batch.
 */
function longLivedFunctions(files: Sources): string[] {
  return [...files].flatMap(([path, source]) => {
    if (!PURE.has(roomOf(path))) return [];
    let isFound = false;
    walk(parse(source), (node) => {
      if (node.type !== 'AssignmentExpression') return;
      const [left, right] = [node['left'], node['right']].map((side) => unwrapped(side as Node));
      if (left?.type !== 'MemberExpression') return;
      if (right?.type === 'ArrowFunctionExpression' || right?.type === 'FunctionExpression') isFound = true;
    });
    return isFound ? [path] : [];
  });
}

function unwrapped(node: Node): Node {
  return node.type === 'ParenthesisExpression' ? unwrapped(node['expression'] as Node) : node;
}

type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

const trees = new Map<string, Node>();

function parse(source: string): Node {
  const known = trees.get(source);
  if (known !== undefined) return known;
  const tree = parseSync(source, { syntax: 'typescript', target: 'es2022' }) as unknown as Node;
  trees.set(source, tree);
  return tree;
}

function nameOf(node: Node | undefined): string | undefined {
  return node?.type === 'Identifier' ? (node['value'] as string) : undefined;
}

/** Parents before their children. */
function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, visit);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') visit(value as Node);
  for (const child of Object.values(value)) walk(child, visit);
}
