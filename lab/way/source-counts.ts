import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript-api';

/** The rooms that a record passes. */
const WAY = new Set(['batch', 'attempts', 'claims']);

/** What can be counted without running anything, of `src`. */
export interface SourceCounts {
  readonly lines: number;
  readonly proxies: number;
  readonly symbolsFor: number;
  readonly longestFile: { readonly file: string; readonly lines: number };
  readonly longestFunction: { readonly file: string; readonly name: string; readonly lines: number };
  readonly widestContext: { readonly name: string; readonly members: number };
  /** Files that `import 'batchlatch'` loads at once. */
  readonly staticModules: number;
}

export async function countSource(): Promise<SourceCounts> {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => parse(file));
  const way = sources.filter(({ fileName }) => WAY.has(fileName.split('/')[0] ?? ''));
  return {
    lines: sources.reduce((sum, source) => sum + linesOf(source), 0),
    proxies: count(sources, /\bnew Proxy\(/g),
    symbolsFor: count(sources, /\bSymbol\.for\(/g),
    longestFile: longest(way.map((source) => ({ file: source.fileName, lines: linesOf(source) }))),
    longestFunction: longest(way.flatMap(functionsOf)),
    widestContext: widestContext(way),
    staticModules: await countStaticModules(),
  };
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(`src/${file}`, 'utf8'), ts.ScriptTarget.Latest, true);
}

function linesOf({ text }: ts.SourceFile): number {
  return text.split('\n').length - 1;
}

function count(sources: readonly ts.SourceFile[], pattern: RegExp): number {
  return sources.reduce((sum, { text }) => sum + [...text.matchAll(pattern)].length, 0);
}

function longest<Counted extends { readonly lines: number }>(all: readonly Counted[]): Counted {
  return all.reduce((most, one) => (one.lines > most.lines ? one : most));
}

function functionsOf(source: ts.SourceFile): { file: string; name: string; lines: number }[] {
  const found: { file: string; name: string; lines: number }[] = [];
  const lineAt = (place: number): number => source.getLineAndCharacterOfPosition(place).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && (node as { body?: ts.Node }).body !== undefined) {
      const lines = lineAt(node.getEnd()) - lineAt(node.getStart(source)) + 1;
      found.push({ file: source.fileName, name: node.name?.getText(source) ?? 'a function', lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The interface of the way with the most members whose name says that it is a context or a scope. */
function widestContext(sources: readonly ts.SourceFile[]): { name: string; members: number } {
  const interfaces = new Map<string, ts.InterfaceDeclaration>();
  for (const { statements } of sources)
    for (const one of statements) if (ts.isInterfaceDeclaration(one)) interfaces.set(one.name.text, one);
  const membersOf = (name: string): readonly string[] => {
    const declared = interfaces.get(name);
    if (declared === undefined) return [];
    const inherited = (declared.heritageClauses ?? []).flatMap(({ types }) =>
      types.flatMap(({ expression }) => membersOf(expression.getText())),
    );
    return [...inherited, ...declared.members.map((member) => member.name?.getText() ?? '')];
  };
  return [...interfaces.keys()]
    .filter((name) => /(?:Context|Scope)$/.test(name))
    .map((name) => ({ name, members: new Set(membersOf(name)).size }))
    .reduce((most, one) => (one.members > most.members ? one : most));
}

async function countStaticModules(): Promise<number> {
  const entry = 'dist/esm/index.js';
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path: imported, kind } of metafile.inputs[file]?.imports ?? [])
      if (kind === 'import-statement' && imported in metafile.inputs) visit(imported);
  };
  visit(entry);
  return seen.size;
}
