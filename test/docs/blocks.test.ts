import { existsSync, readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { claimsTableSql } from 'batchlatch/postgres';
import { describe, expect, it } from '@jest/globals';
import { transform } from 'esbuild';
import { type CodeBlock, codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

interface Placed extends CodeBlock {
  readonly at: string;
}

const BLOCKS: readonly Placed[] = [...PAGES].flatMap(([page, text]) =>
  codeBlocks(text).map((block) => ({ ...block, at: `${page}:${block.line}` })),
);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

/** The languages whose blocks other tests compile, parse or print, and those that are no code. */
const ELSEWHERE = new Set(['ts', 'yaml', 'json', 'mermaid', 'text']);
/** Blocks that show a file of the repository, which is tested where it is. */
const OF_FILES = new Set(['hcl', 'js']);
const SHELL = new Set(['', 'bash', 'sh', 'console']);

const inLanguage = (...languages: readonly string[]): Placed[] =>
  BLOCKS.filter(({ language }) => languages.includes(language));

describe('Every block of the pages', () => {
  it('is in a language that a test reads', () => {
    const known = new Set([...ELSEWHERE, ...OF_FILES, ...SHELL, 'sql']);
    expect(BLOCKS.filter(({ language }) => !known.has(language)).map(({ at }) => at)).toEqual([]);
  });

  it.each(BLOCKS.filter(({ file }) => file !== undefined).map(({ at, file = '', code }) => [at, file, code]))(
    '%s shows %s as it is',
    (_at, file, code) => {
      expect(readFileSync(file, 'utf8')).toContain(code.trimEnd());
    },
  );

  it('of Terraform or JavaScript is of a file, or can be parsed', async () => {
    for (const { at, file, part, language, code } of inLanguage('hcl', 'js')) {
      if (file !== undefined || part !== undefined) continue;
      expect([at, language]).toEqual([at, 'js']);
      await transform(code, { loader: 'js' });
    }
  });

  it('of SQL runs on a database that has the table', async () => {
    const database = new PGlite();
    await database.exec(`${claimsTableSql()}\nCREATE ROLE orders_function;`);
    for (const { code } of inLanguage('sql')) await database.exec(code);
    await database.close();
  });

  it('of a shell has commands that exist; what is printed, drawn or queried is marked as text', () => {
    const wrong = inLanguage('', 'bash', 'sh').flatMap(({ at, code }) =>
      commandsOf(code).flatMap((command) => {
        const problem = problemOf(command);
        return problem === undefined ? [] : [`${at}: ${command}: ${problem}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['npm run lab:nothing', 'package.json has no such script'],
    ['node --import tsx scripts/nothing.ts', 'scripts/nothing.ts does not exist'],
    ['scripts/nothing.sh setup', 'scripts/nothing.sh does not exist'],
    ['frobnicate now', 'an unknown program'],
  ])('is refused for a command such as %s', (command, problem) => {
    expect(problemOf(command)).toBe(problem);
  });
});

/** The commands of a block, without comments, continued lines joined. */
function commandsOf(code: string): string[] {
  return code
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/(?:^|\s+)#.*$/, '')
        .trim(),
    )
    .filter((line) => line !== '')
    .flatMap((line) => line.split(/\s+(?:&&|\|)\s+/));
}

/** Programs of others, and what a shell has itself. `npx batchlatch …` is read by commands.test.ts. */
const PROGRAMS =
  /^(?:npx|aws|sam|docker|kubectl|terraform|cdk|cd|tar|zip|curl|source|mkdir|export|batchlatch completion)\b/;

function problemOf(command: string): string | undefined {
  const words = command.replace(/^\(/, '').replace(/^(?:[A-Z_]+=\S+ )+/, '');
  const file = /^(?:node (?:--import tsx )?)?((?:\.\/)?[\w./-]+\.(?:ts|js|mjs|sh))\b/.exec(words)?.[1];
  if (file !== undefined) return existsSync(file) ? undefined : `${file} does not exist`;
  const script = /^npm (?:run ([\w:]+)|(test|start))\b/.exec(words);
  if (script !== null) {
    const name = script[1] ?? script[2] ?? '';
    return name in scripts ? undefined : 'package.json has no such script';
  }
  if (/^npm (?:ci|install|init|pkg|pack|create)\b/.test(words)) return undefined;
  return PROGRAMS.test(words) ? undefined : 'an unknown program';
}
