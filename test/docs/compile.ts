import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = process.cwd();
const PRELUDE = 'test/docs/prelude.ts';
const GLOBALS = 'test/docs/globals-of-prelude.d.ts';
/** Declarations of packages that cannot be installed on every Node. */
const PACKAGES = ['test/docs/durable-sdk.d.ts'];

/** Code by a name, which is a path in this repository: what it imports is found from there. */
export type Sources = Readonly<Record<string, string>>;

/**
 * What the compiler says of the sources, as `name:line: message`. The prelude's exports are globals of each; one that
 * imports nothing gets what it uses of the package.
 */
export async function compile(sources: Sources): Promise<string[]> {
  const texts: Record<string, string> = { [GLOBALS]: globalsOfPrelude() };
  for (const [name, code] of Object.entries(sources)) texts[name] = asModule(code);
  const cache = path.join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'compiled-docs-'));
  try {
    await writeAll(folder, texts);
    return errorsIn(await outputOf(folder), folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Beside the repository's own files: `rootDirs` makes one tree of both. */
async function writeAll(folder: string, texts: Sources): Promise<void> {
  for (const [name, text] of Object.entries({ ...texts, 'tsconfig.json': configOf(Object.keys(texts)) })) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

function configOf(files: readonly string[]): string {
  return JSON.stringify({
    extends: path.join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      rootDirs: [ROOT, '.'],
      typeRoots: [path.join(ROOT, 'node_modules/@types')],
      // A page shows what a call gives without using it, and its imports are made without knowing which are types.
      noUnusedLocals: false,
      noUnusedParameters: false,
      verbatimModuleSyntax: false,
    },
    include: [],
    files: [...files, ...PACKAGES.map((file) => path.join(ROOT, file))],
  });
}

async function outputOf(folder: string): Promise<string> {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    maxBuffer: 16_777_216,
  });
  // It ends with 1 or 2 where it has found something.
  const { stdout, stderr } = await run.catch((error: Readonly<Record<'stdout' | 'stderr', string>>) => error);
  // Nothing is found where the compiler itself dies.
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}

/** `file(line,column): error TS1: message`, with further lines of the message below. */
function errorsIn(output: string, folder: string): string[] {
  const errors: string[] = [];
  for (const line of output.split('\n')) {
    const [, file = '', number, message] = /^(.+)\((\d+),\d+\): error TS\d+: (.*)/.exec(line) ?? [];
    if (message !== undefined) {
      const name = path.relative(folder, path.resolve(folder, file));
      errors.push(`${name}:${number}: ${message}`);
    } else if (line.trim() !== '') {
      errors.push(`${errors.pop() ?? ''}\n${line}`);
    }
  }
  return errors;
}

/** The imports go in front of the first line, so that lines keep their numbers. */
function asModule(code: string): string {
  if (/^import /m.test(code)) return code;
  const words = new Set(code.match(/\w+/g));
  const imports = Object.entries(EXPORTS).map(([entry, names]) => {
    const used = names.filter((name) => words.has(name));
    return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${entry}'; `;
  });
  return `${imports.join('')}${code}\nexport {};`;
}

/** The names that the files of the entries list; the core's are those of `batchlatch`. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  batchlatch: ['createBatchProcessor', ...listedIn('src/exports.ts')],
  'batchlatch/dynamodb': listedIn('src/stores/dynamodb/index.ts'),
  'batchlatch/http': listedIn('src/http/index.ts'),
  'batchlatch/functions': ['withIdempotency', 'withIdempotencyContext'],
};

function listedIn(file: string): string[] {
  const lists = readFileSync(file, 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g);
  return [...lists].flatMap(([, list = '']) => list.match(/\b(?!type\b)\w+/g) ?? []);
}

function globalsOfPrelude(): string {
  const prelude = readFileSync(PRELUDE, 'utf8');
  const declared = prelude.matchAll(/^export (?:declare )?(interface|const|function) (\w+)/gm);
  const module = "import('./prelude.ts')";
  const globals = [...declared].map(([, kind, name]) =>
    kind === 'interface' ? `type ${name} = ${module}.${name};` : `const ${name}: typeof ${module}.${name};`,
  );
  return `export {};\ndeclare global {\n${globals.join('\n')}\n}\n`;
}
