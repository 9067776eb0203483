import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly typesVersions: { readonly '*': Readonly<Record<string, readonly string[]>> };
}

const JEST_CONFIG: string = '../../jest.config.js'; // which has no types
const { default: jestConfig } = (await import(JEST_CONFIG)) as {
  default: { projects: readonly [{ moduleNameMapper: Readonly<Record<string, string>> }] };
};
const manifest = readJson('package.json') as Manifest;
const { paths } = (readJson('tsconfig.json') as { compilerOptions: { paths: Record<string, string[]> } })
  .compilerOptions;
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');

/** Which is one entry by itself, and no part of the library. */
const CONSTRUCTS = 'batchlatch-cdk';

describe('An entry of the package', () => {
  it('is one for TypeScript too, and the other way round', () => {
    expect(Object.keys(paths).sort()).toEqual([...entries.map(nameOf), CONSTRUCTS].sort());
  });

  it('of the constructs is found in its sources', () => {
    const source = 'packages/cdk/src/index.ts';
    expect(existsSync(source)).toBe(true);
    expect(paths[CONSTRUCTS]).toEqual([`./${source}`]);
    expect(mapped(CONSTRUCTS)).toBe(`<rootDir>/${source}`);
  });

  it.each(entries)('%s leads to one file of src, in both builds and for every resolution', (entry) => {
    const [source = ''] = paths[nameOf(entry)] ?? [];
    const file = source.replace('./src/', '').replace(/\.ts$/, '');
    expect(existsSync(source)).toBe(true);
    expect(manifest.exports[entry]).toEqual({
      import: { types: `./dist/esm/${file}.d.ts`, default: `./dist/esm/${file}.js` },
      require: { types: `./dist/cjs/${file}.d.ts`, default: `./dist/cjs/${file}.js` },
    });
    if (entry !== '.') {
      expect(manifest.typesVersions['*'][entry.slice(2)]).toEqual([`./dist/cjs/${file}.d.ts`]);
    }
    expect(mapped(nameOf(entry))).toBe(source.replace('./', '<rootDir>/'));
  });
});

function nameOf(entry: string): string {
  return entry.replace(/^\./, 'batchlatch');
}

/** Where jest finds the entry. */
function mapped(name: string): string | undefined {
  for (const [pattern, target] of Object.entries(jestConfig.projects[0].moduleNameMapper)) {
    if (new RegExp(pattern).test(name)) return name.replace(new RegExp(pattern), target);
  }
  return undefined;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
