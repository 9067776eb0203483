import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync('package.json', 'utf8'),
) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
};
const [, installed = '', peers = '', commandLine = '', constructs = ''] = (
  PAGES.get('docs/dependencies.md') ?? ''
).split(/^## .*$/m);

describe('The page about dependencies', () => {
  it('names what is installed with the package, and why', () => {
    expect(rowsOf(installed)).toEqual(Object.keys(dependencies).toSorted());
  });

  it('counts them, with what they need themselves', () => {
    const names = Object.keys(dependencies);
    const all = [...names.reduce((found, name) => withWhatItNeeds(name, found), new Set<string>())];
    const megabytes = all.reduce((sum, name) => sum + bytesOf(path.join('node_modules', name)), 0) / 1e6;
    const counted = `installs ${names.length} dependencies, ${all.length} packages with ${megabytes.toFixed(1)} MB`;
    expect(PAGES.get('docs/dependencies.md')).toContain(counted);
  });

  it.each(Object.keys(dependencies))('gives the size of %s as it is installed here', (name) => {
    const cells = installed.match(new RegExp(`^\\| \`${name}\` \\|.*$`, 'm'))?.[0].split(' | ') ?? [];
    const all = [...withWhatItNeeds(name)];
    const others = all.length > 1 ? `${kilobytes(all)}, ${all.length} packages` : 'the same';
    expect(cells.slice(3, 5)).toEqual([kilobytes([name]), others]);
  });

  it('names the peers, all of which are optional', () => {
    expect(rowsOf(peers)).toEqual(Object.keys(peerDependencies).toSorted());
    const optional = Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name]?.optional);
    expect(optional.toSorted()).toEqual(Object.keys(peerDependencies).toSorted());
  });
});

describe('What the page says of the other packages', () => {
  const manifest = (name: string): Readonly<Record<string, object>> =>
    JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as Readonly<Record<string, object>>;

  it('names what is installed with the command line', () => {
    const { dependencies: needed, optionalDependencies, peerDependencies: none } = manifest('cli');
    expect(rowsOf(commandLine)).toEqual(Object.keys({ ...needed, ...optionalDependencies }).toSorted());
    expect(none).toBeUndefined();
  });

  it('names the peers of the constructs, which have no dependencies', () => {
    const { dependencies: none, peerDependencies: needed = {} } = manifest('cdk');
    expect(rowsOf(constructs)).toEqual(Object.keys(needed).toSorted());
    expect(none).toBeUndefined();
  });
});

/** The packages in the first column, each with a reason in the second. */
function rowsOf(section: string): string[] {
  return [...section.matchAll(/^\| `([^`]+)` \| [^|\s][^|]+\|/gm)].map(([, name = '']) => name).toSorted();
}

/** The package, and all that npm installs with it. */
function withWhatItNeeds(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const manifest = JSON.parse(readFileSync(path.join('node_modules', name, 'package.json'), 'utf8')) as {
    readonly dependencies?: object;
  };
  for (const needed of Object.keys(manifest.dependencies ?? {})) withWhatItNeeds(needed, found);
  return found;
}

function kilobytes(names: readonly string[]): string {
  const bytes = names.reduce((sum, name) => sum + bytesOf(path.join('node_modules', name)), 0);
  return `${Math.round(bytes / 1_000).toLocaleString('en')} KB`;
}

function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  return entries.reduce((sum, entry) => {
    const place = path.join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesOf(place) : statSync(place).size);
  }, 0);
}
