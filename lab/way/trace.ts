import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import ts from 'typescript-api';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ENTER = '__enter';

const entered = new Set<string>();
Object.assign(globalThis, { [ENTER]: (file: string) => void entered.add(file) });

/** Returns the files of the traced source that `work` enters, in the order in which it first enters them. */
export async function filesEntered(work: (restart: () => void) => Promise<unknown>): Promise<string[]> {
  const restart = (): void => entered.clear();
  restart();
  await work(restart);
  return [...entered];
}

/** A copy of the source, each of whose functions tells when it is called. */
export interface TracedSource {
  load(entry: string): Promise<unknown>;
  /** Deletes the copy. */
  delete(): void;
}

export async function traceSource(entries: readonly string[]): Promise<TracedSource> {
  const folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-way-'));
  cpSync(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  // As deep as `packages/cli/src/cli`, which finds the manifest by its place.
  const outdir = path.join(folder, 'src', 'traced');
  await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(entries.map((entry) => [nameOf(entry), entry])),
    outdir,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
    plugins: [TELLING],
  });
  return {
    load: (entry) => import(pathToFileURL(path.join(outdir, `${nameOf(entry)}.js`)).href),
    delete: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** All in one folder. */
function nameOf(entry: string): string {
  return entry.replaceAll('/', '-').replace(/\.ts$/, '');
}

const TELLING: Plugin = {
  name: 'telling',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path: whole }) => {
      const place = path.relative(ROOT, whole).split(path.sep).join('/');
      const file = place.replace(/^(packages\/cli\/)?src\//, '');
      return { contents: telling(readFileSync(whole, 'utf8'), file), loader: 'ts' };
    });
  },
};

/** The file with a call at the beginning of each function. */
export function telling(text: string, file: string): string {
  const call = `${ENTER}(${JSON.stringify(file)})`;
  const insertions: { at: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    const { body } = node as { body?: ts.Node };
    if (body !== undefined && ts.isFunctionLike(node)) {
      if (ts.isBlock(body)) insertions.push({ at: body.getStart() + 1, text: `${call};` });
      else insertions.push({ at: body.getStart(), text: `(${call},` }, { at: body.getEnd(), text: ')' });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return insertions
    .toSorted((one, other) => other.at - one.at)
    .reduce((result, { at, text: inserted }) => result.slice(0, at) + inserted + result.slice(at), text);
}
