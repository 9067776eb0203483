import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Deployment, STORES, type Store } from './answers.ts';
import { manifestOf } from './manifest.ts';
import type { PackageManager } from './package-manager.ts';

const TEMPLATES = fileURLToPath(new URL('../templates', import.meta.url));

/** The project's name in the templates. */
const NAME = /\bmy-worker\b/g;

/** Names for files that npm would interpret or leave out if this package contained them as they are. */
const REAL_NAMES: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  dockerignore: '.dockerignore',
};

/** The settings of a project. */
export interface Project {
  readonly name: string;
  readonly deploy: Deployment;
  readonly store: Store;
  readonly packageManager: PackageManager;
  /** Whether the project is in a workspace, which has the settings of pnpm. Default false. */
  readonly isInWorkspace?: boolean;
}

/** Returns the files of a project by name, without writing them. */
export function projectFiles(project: Project): ReadonlyMap<string, string> {
  const { name, deploy, store, packageManager, isInWorkspace = false } = project;
  // The project creates its DynamoDB table; PostgreSQL and Redis servers exist already.
  const place = store === 'dynamodb' ? 'dynamodb' : 'server';
  const files = new Map([['package.json', manifestOf(name, deploy, store)]]);
  for (const folder of ['common', `stores/${store}`, deploy, `${deploy}/${place}`]) {
    for (const [file, text] of filesIn(folder)) files.set(file, text);
  }
  if (packageManager.name === 'pnpm' && !isInWorkspace) {
    files.set('pnpm-workspace.yaml', pnpmSettings(deploy));
  }
  const { lockFile, installForProduction, run, exec, install } = packageManager;
  const values: Readonly<Record<string, string>> = {
    storeName: STORES[store],
    store: textOf(`stores/${store}/store.md`),
    deploy: [textOf(`${deploy}/deploy.md`), textOf(`${deploy}/${place}/more.md`)].filter(Boolean).join('\n'),
    install,
    test: run('test'),
    start: run('start'),
    run: run('').trimEnd(),
    exec,
    lockFile,
    installForProduction,
  };
  const names = [...files.keys()].toSorted();
  return new Map(
    names.map((file) => [file, filled(files.get(file) ?? '', values).replaceAll(NAME, name)] as const),
  );
}

/** Returns settings that let pnpm run install scripts. pnpm 9 wants `packages` beside them. */
function pnpmSettings(deploy: Deployment): string {
  const allowed = ['esbuild', ...(deploy === 'serverless' ? ['serverless'] : [])];
  const lines = allowed.map((name) => `  ${name}: true\n`).join('');
  return `packages: ['.']\nallowBuilds: # else \`pnpm install\` fails\n${lines}`;
}

/** Yields the files directly in a template folder, except the parts of the README. */
function* filesIn(folder: string): Iterable<readonly [string, string]> {
  for (const entry of readdirSync(path.join(TEMPLATES, folder), { withFileTypes: true })) {
    if (!entry.isFile() || /^(deploy|more|store)\.md$/.test(entry.name)) continue;
    yield [REAL_NAMES[entry.name] ?? entry.name, textOf(path.join(folder, entry.name))];
  }
}

/** Returns the text of a template file, or an empty text if it does not exist. */
function textOf(file: string): string {
  const place = path.join(TEMPLATES, file);
  return existsSync(place) ? readFileSync(place, 'utf8') : '';
}

/** Replaces `{{name}}` by its value, which may contain a name itself. Unknown names stay. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  const put = (from: string): string =>
    from.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  return put(put(text));
}
