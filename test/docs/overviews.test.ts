import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { commandsUnder } from './command-lines.ts';
import { PAGES } from './pages.ts';

/** What has to have a page: its overview, and what of the code it lists. */
const OVERVIEWS: readonly [page: string, folder: string, what: string, names: readonly string[]][] = [
  ['docs/sources.md', 'sources', 'source', sources()],
  ['docs/stores.md', 'stores', 'store', stores()],
  ['docs/failures.md', 'policies', 'policy', policies()],
  ['docs/operations.md', 'operations', 'command', ['claims', 'dlq'].flatMap(commandsUnder)],
];

describe.each(OVERVIEWS)('%s', (page, folder, what, names) => {
  const text = PAGES.get(page) ?? '';

  it(`leads to a page for every ${what}`, () => {
    expect(names.length).toBeGreaterThan(3);
    const leading = text.split('\n').filter((line) => line.startsWith('| ') && line.includes(`](${folder}/`));
    expect(names.filter((name) => !leading.some((row) => isNamed(name, row)))).toEqual([]);
  });

  it(`leads to every page of docs/${folder}`, () => {
    const below = readdirSync(`docs/${folder}`);
    expect(below.length).toBeGreaterThan(3);
    expect(below.filter((file) => !text.includes(`](${folder}/${file})`))).toEqual([]);
  });
});

function isNamed(name: string, row: string): boolean {
  return [`\`${name}\``, `\`${name}(`].some((code) => row.includes(code));
}

/** Those that `allSources()` calls, and the bus, which it calls by another name. */
function sources(): string[] {
  const [, list = ''] = /readonly Source\[\] = \[([^\]]*)\]/.exec(textOf('src/sources/all-sources.ts')) ?? [];
  return [...list.matchAll(/(\w+)\(\)/g)].map(([, name = '']) =>
    name === 'recognisedEventBridgeBus' ? 'eventBridgeBus' : name,
  );
}

function stores(): string[] {
  return readdirSync('src/stores', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'rows')
    .flatMap(({ name }) => textOf(`src/stores/${name}/index.ts`).match(/\b[a-z]\w*Store\b(?=[\s,}])/g) ?? []);
}

/** The options that take a policy. */
function policies(): string[] {
  return [...textOf('src/batch/options.ts').matchAll(/readonly (\w+)\?: \w+Policy\b/g)].map(
    ([, name = '']) => name,
  );
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8');
}
