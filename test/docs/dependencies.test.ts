import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync('package.json', 'utf8'),
) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
};
const [, installed = '', peers = ''] = (PAGES.get('docs/dependencies.md') ?? '').split(/^## .*$/m);

describe('The page about dependencies', () => {
  it('names what is installed with the package, and why', () => {
    expect(rowsOf(installed)).toEqual(Object.keys(dependencies).toSorted());
  });

  it('names the peers, all of which are optional', () => {
    expect(rowsOf(peers)).toEqual(Object.keys(peerDependencies).toSorted());
    const optional = Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name]?.optional);
    expect(optional.toSorted()).toEqual(Object.keys(peerDependencies).toSorted());
  });
});

/** The packages in the first column, each with a reason in the second. */
function rowsOf(section: string): string[] {
  return [...section.matchAll(/^\| `([^`]+)` \| [^|\s][^|]+\|/gm)].map(([, name = '']) => name).toSorted();
}
