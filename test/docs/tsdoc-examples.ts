import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const NAMES = 'test/docs/tsdoc-names.ts';

/** An `@example` of a comment of `src`, with what it imports. */
interface Example {
  /** Such as `src/around/backoff.ts.25.ts`, for the example that begins in line 25. */
  readonly name: string;
  readonly code: string;
}

/** The examples of the comments of the library and of the constructs. */
export function examplesOfSources(): Example[] {
  return ['src', 'packages/cdk/src']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .flatMap((file) =>
      examplesIn(readFileSync(file, 'utf8')).map(({ line, code }) => ({
        name: `${file}.${line}.ts`,
        code: withImports(code, file),
      })),
    );
}

/** The code after `@example`, up to the next tag or the end of the comment. Lines count from 1. */
export function examplesIn(source: string): { readonly line: number; readonly code: string }[] {
  const lines = source.split('\n');
  return lines.flatMap((text, index) => {
    if (!/^\s*\* @example\s*$/.test(text)) return [];
    const after = lines.slice(index + 1);
    const end = after.findIndex((line) => /^\s*\*\/|^\s*\* @\w/.test(line));
    const code = after.slice(0, end).map((line) => line.replace(/^\s*\* ?/, ''));
    return [{ line: index + 2, code: code.join('\n') }];
  });
}

/** In front of the first line, so that lines keep their numbers. What a construct is a part of is its `this`. */
function withImports(code: string, file: string): string {
  if (/^import /m.test(code)) return code;
  const own = code.matchAll(/\b(?:const|function) (?:\{([^}]*)\}|(\w+))/g);
  const declared = new Set(
    [...own].flatMap(([, list = '', name = '']) => [...(list.match(/\w+/g) ?? []), name]),
  );
  const words = new Set(code.match(/\w+/g)?.filter((word) => !declared.has(word)));
  const names = path.posix.join(path.posix.relative(path.posix.dirname(file), '.'), NAMES);
  const modules: [string, readonly string[]][] = [
    ...entriesFor(file),
    ...OF_OTHERS,
    [
      names,
      [...readFileSync(NAMES, 'utf8').matchAll(/^export declare (?:const|function) (\w+)/gm)].map(
        ([, name = '']) => name,
      ),
    ],
  ];
  const imports = modules.map(([module, exported]) => {
    const used = exported.filter((name) => words.delete(name));
    return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${module}'; `;
  });
  const isConstruct = /\(this, /.test(code);
  const body = isConstruct
    ? `export function build(this: import('constructs').Construct) { ${code}\n}`
    : code;
  return `${imports.join('')}${body}\nexport {};`;
}

/** Of packages that readers have installed. */
const OF_OTHERS: readonly [string, readonly string[]][] = [
  ['@aws-sdk/client-sqs', ['SQS']],
  ['@aws-lambda-powertools/logger', ['Logger']],
  ['@aws-lambda-powertools/metrics', ['Metrics']],
  ['@aws-lambda-powertools/tracer', ['Tracer']],
  ['aws-lambda', ['APIGatewayProxyEventV2WithJWTAuthorizer']],
  ['ioredis', ['Redis']],
  ['pg', ['Pool']],
  ['zod', ['z']],
];

/** The entries with the names that their files list, first that of the file's own folder: two have a `ClaimMonitor`. */
function entriesFor(file: string): [string, readonly string[]][] {
  const { paths } = (
    JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
      compilerOptions: { paths: Readonly<Record<string, readonly [string]>> };
    }
  ).compilerOptions;
  const all = Object.entries(paths).map(([entry, [source]]): [string, readonly string[], boolean] => {
    const names =
      entry === 'batchlatch' ? ['createBatchProcessor', ...listedIn('src/exports.ts')] : listedIn(source);
    const folder = path.posix.dirname(source).slice(2);
    return [entry, names, folder !== 'src' && file.startsWith(`${folder}/`)];
  });
  return all
    .toSorted(([, , a], [, , b]) => Number(b) - Number(a))
    .filter(([entry]) => entry !== 'batchlatch/core')
    .map(([entry, names]) => [entry, names]);
}

function listedIn(file: string): string[] {
  const lists = readFileSync(file, 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g);
  return [...lists].flatMap(([, list = '']) => list.match(/\b(?!type\b)\w+/g) ?? []);
}
