import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ENTRIES, exportsOf } from '../../scripts/entries.ts';

const JEST_CONFIG: string = '../../jest.config.js'; // which has no types
const { default: jestConfig } = (await import(JEST_CONFIG)) as {
  default: { projects: readonly [{ moduleNameMapper: Readonly<Record<string, string>> }] };
};
const manifest = readJson('package.json') as { readonly exports: unknown };
const { paths } = (readJson('tsconfig.json') as { compilerOptions: { paths: Record<string, string[]> } })
  .compilerOptions;
const entries = Object.entries(ENTRIES);

/** Which is one entry by itself, and no part of the library. */
const CONSTRUCTS = 'batchlatch-cdk';

describe('An entry of the package', () => {
  it('is one for TypeScript too, and the other way round', () => {
    expect(Object.keys(paths).sort()).toEqual(
      [...entries.map(([entry]) => nameOf(entry)), CONSTRUCTS].sort(),
    );
  });

  it('of the constructs is found in its sources', () => {
    const source = 'packages/cdk/src/index.ts';
    expect(existsSync(source)).toBe(true);
    expect(paths[CONSTRUCTS]).toEqual([`./${source}`]);
    expect(mapped(CONSTRUCTS)).toBe(`<rootDir>/${source}`);
  });

  it('is in package.json as the build writes it', () => {
    expect(manifest.exports).toEqual(exportsOf(ENTRIES));
  });

  it.each(entries)('%s leads to %s of src, also for TypeScript and for Jest', (entry, file) => {
    expect(existsSync(`src/${file}.ts`)).toBe(true);
    expect(paths[nameOf(entry)]).toEqual([`./src/${file}.ts`]);
    expect(mapped(nameOf(entry))).toBe(`<rootDir>/src/${file}.ts`);
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
