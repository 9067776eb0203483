import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript-api'; // TypeScript 7 has no API for programs yet

const ROOT = process.cwd();
const PRELUDE = 'test/docs/prelude.ts';
const GLOBALS = 'test/docs/globals-of-prelude.d.ts';

/** Code by a name, which is a path in this repository: what it imports is found from there. */
export type Sources = Readonly<Record<string, string>>;

/**
 * What the compiler says of the sources, as `name:line: message`. The prelude's exports are globals of each; one that
 * imports nothing gets what it uses of the package.
 */
export function compile(sources: Sources): string[] {
  const texts: Record<string, string> = { [GLOBALS]: globalsOfPrelude() };
  for (const [name, code] of Object.entries(sources)) texts[name] = asModule(code);
  const program = programOf(texts);
  return Object.keys(sources).flatMap((name) => {
    const file = program.getSourceFile(path.join(ROOT, name));
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
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

/** Of the disk: read once for all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function programOf(texts: Sources): ts.Program {
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, languageVersion, ...rest) => {
    const text = texts[path.relative(ROOT, name)];
    if (text !== undefined) return ts.createSourceFile(name, text, languageVersion, true);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, languageVersion, ...rest));
    return parsed.get(name);
  };
  return ts.createProgram(
    Object.keys(texts).map((name) => path.join(ROOT, name)),
    options,
    host,
  );
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
  // A page shows what a call gives without using it, and its imports are made without knowing which are types.
  return { ...options, noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false };
}
