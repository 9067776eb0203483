import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

const RECIPES = 'test/recipes';
/** What no page shows: it tests a range of versions. */
const WITHOUT_PAGE = ['powertools-versions', 'typescript'];
/** What makes the tests of the recipes run, and is no part of them. */
const OF_THE_TESTS = /^(tsx|@types\/node|typescript-[\d.]+)$/;

const shown = [...PAGES].flatMap(([page, text]) =>
  codeBlocks(text).flatMap(({ file, code }) => (file === undefined ? [] : [{ page, file, code }])),
);
const parts = [...PAGES].flatMap(([page, text]) =>
  codeBlocks(text).flatMap(({ part, code, line }) =>
    part === undefined ? [] : [{ at: `${page}:${line}`, part, code }],
  ),
);
const pagesOfRecipes = [...PAGES.keys()].filter((page) => page.startsWith('docs/recipes/'));
const projects = readdirSync(RECIPES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'shared')
  .map(({ name }) => name);

if (process.env['UPDATE_DOCS'] === '1') {
  for (const page of pagesOfRecipes) writeFileSync(page, withFiles(readFileSync(page, 'utf8')));
}

describe('The parts of files that pages show', () => {
  it('are in the files as they are shown', () => {
    expect(parts.length).toBeGreaterThan(5);
    const others = parts.filter(({ part, code }) => !hasLines(readFileSync(part, 'utf8'), code));
    expect(others.map(({ at, part }) => `${at}: ${part}`)).toEqual([]);
    expect(hasLines('a:\n  b: 1\n', 'a:\nb: 2')).toBe(false);
  });
});

describe('The recipes', () => {
  it.each(shown.map(({ page, file, code }) => [page, file, code]))(
    '%s shows %s as it is run',
    (_page, file, code) => {
      // `UPDATE_DOCS=1 npm test -- test/docs/recipes` writes it.
      expect(`${code}\n`).toBe(readFileSync(file, 'utf8'));
    },
  );

  it('have a page that shows files of theirs, or leads to them', () => {
    const leadsTo = (name: string): boolean =>
      pagesOfRecipes.some((page) => PAGES.get(page)?.includes(`](../../${RECIPES}/${name}/`));
    const missing = projects.filter(
      (name) => !shown.some(({ file }) => file.startsWith(`${RECIPES}/${name}/`)) && !leadsTo(name),
    );
    expect(missing).toEqual(WITHOUT_PAGE);
    const showsNone = pagesOfRecipes.filter((page) => !shown.some((block) => block.page === page));
    expect(
      showsNone.filter((page) => !/\]\(\.\.\/\.\.\/(?:test|packages)\//.test(PAGES.get(page) ?? '')),
    ).toEqual([]);
  });

  it.each(pagesOfRecipes)('%s says to install what its projects have', (page) => {
    const text = PAGES.get(page) ?? '';
    const lines = [...text.matchAll(/^npm install (.*)$/gm)];
    const said = new Set(
      lines.flatMap(([, packages = '']) => packages.replaceAll(/--workspace \S+/g, '').split(' ')),
    );
    const installed = projectsOf(page).flatMap(packagesOf);
    expect(installed.filter((name) => !said.has(name))).toEqual([]);
    expect(installed.length === 0 || said.has('batchlatch')).toBe(true);
  });
});

function projectsOf(page: string): string[] {
  const names = shown
    .filter((block) => block.page === page && block.file.startsWith(RECIPES))
    .map(({ file }) => file.split('/')[2] ?? '');
  return [...new Set(names)].filter((name) => projects.includes(name));
}

function packagesOf(project: string): string[] {
  const files = readdirSync(path.join(RECIPES, project));
  if (!files.includes('package.json')) return [];
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(RECIPES, project, 'package.json'), 'utf8'),
  ) as Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>> | undefined>>;
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !OF_THE_TESTS.test(name));
}

/** Whether the file has these lines one after the other, indented as the file wants them. */
function hasLines(text: string, code: string): boolean {
  const plain = (lines: string): string =>
    `\n${lines
      .split('\n')
      .map((line) => line.trim())
      .join('\n')}\n`;
  return plain(text).includes(plain(code));
}

/** The page with each block that names a file as the file is. */
function withFiles(text: string): string {
  return text.replaceAll(
    /(<!-- file: (.+) -->\n```\w+\n)[^]*?```/g,
    (_all, head: string, file: string) => `${head}${readFileSync(file, 'utf8')}\`\`\``,
  );
}
