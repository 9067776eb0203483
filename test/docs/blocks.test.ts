import { existsSync, readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { claimsTableSql } from 'batchlatch/postgres';
import { describe, expect, it } from '@jest/globals';
import { transform } from 'esbuild';
import { type CodeBlock, codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';
import { shellCommands, wordsOf } from './shell-commands.ts';

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
  it('that keeps a pool or a client hears its errors: without a listener the first one ends the process', () => {
    const keeping = inLanguage('ts').filter(
      ({ code }) =>
        /\bnew Pool\(|\bcreateClient\(/.test(code) &&
        /\bexport const \w+ = (?!new)|\bwithIdempotency\(|\.start\(/.test(code),
    );
    expect(keeping.length).toBeGreaterThan(6);
    expect(keeping.filter(({ code }) => !code.includes(".on('error'")).map(({ at }) => at)).toEqual([]);
  });

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
    const wrong = shellCommands(PAGES).flatMap(({ at, command }) => {
      const problem = problemOf(command);
      return problem === undefined ? [] : [`${at}: ${command}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  it('of other packages has commands that a test runs', () => {
    const others = shellCommands(PAGES).filter(({ command }) => /^npx (?!batchlatch)/.test(command));
    const run = others.filter(({ command }) =>
      RUN_BY.some(
        ([pattern, file, text]) => pattern.test(command) && readFileSync(file, 'utf8').includes(text),
      ),
    );
    expect(run).toEqual(others);
  });

  it.each([
    ['npm run lab:nothing', 'package.json has no such script'],
    ['node --import tsx scripts/nothing.ts', 'scripts/nothing.ts does not exist'],
    ['scripts/nothing.sh setup', 'scripts/nothing.sh does not exist'],
    ['scripts/sam.sh nothing', 'scripts/sam.sh has no command nothing'],
    ['scripts/sam.sh build examples/nothing.yaml', 'examples/nothing.yaml does not exist'],
    ['frobnicate now', 'an unknown program'],
  ])('is refused for a command such as %s', (command, problem) => {
    expect(problemOf(command)).toBe(problem);
  });
});

/** Programs of others, and what a shell has itself. `npx batchlatch …` is parsed by commands.test.ts. */
const PROGRAMS =
  /^(?:npx|aws|sam|docker|kubectl|terraform|cdk|cd|tar|zip|curl|source|mkdir|export|batchlatch completion|node --)\b/;

function problemOf(command: string): string | undefined {
  const file = /^(?:node (?:--import tsx )?)?((?:\.\/)?[\w./-]+\.(?:ts|js|mjs|sh))\b/.exec(command)?.[1];
  if (file !== undefined)
    return existsSync(file) ? problemOfArguments(command, file) : `${file} does not exist`;
  const script = /^npm (?:run ([\w:]+)|(test|start))\b/.exec(command);
  if (script !== null) {
    const name = script[1] ?? script[2] ?? '';
    return name in scripts ? undefined : 'package.json has no such script';
  }
  if (/^npm (?:ci|install|init|pkg|pack|create)\b/.test(command)) return undefined;
  return PROGRAMS.test(command) ? undefined : 'an unknown program';
}

/**
 * The commands of other packages that the pages show with npx, and the test that runs each. SAM, Terraform, Docker and the AWS CLI
 * read their own in lab/real/programs-of-others.test.ts.
 */
const RUN_BY: readonly (readonly [command: RegExp, file: string, text: string])[] = [
  [/^npx cdk synth$/, 'packages/create/test/end-to-end.test.ts', "'cdk', 'synth'"],
  [/^npx cdk deploy --app\b/, 'packages/create/test/end-to-end.test.ts', "'cdk', 'deploy', '--help'"],
  [/^npx serverless\b/, 'lab/real/programs-of-others.test.ts', "'npx serverless'"],
  [/^npx quint\b/, 'scripts/model.ts', 'quint'],
  [/^npx esbuild\b/, 'lab/real/quick-start.test.ts', 'esbuild'],
];

/** The first argument of a shell script is one of its commands; arguments that are paths of this repository exist. */
function problemOfArguments(command: string, file: string): string | undefined {
  const given = wordsOf(command.slice(command.indexOf(file) + file.length).trim());
  const [first] = given;
  if (file.endsWith('.sh') && first !== undefined && !hasCommand(readFileSync(file, 'utf8'), first)) {
    return `${file} has no command ${first}`;
  }
  const missing = given.find(
    (word) => /^(?:examples|lab|scripts|docs)\/\S+\.\w+$/.test(word) && !existsSync(word),
  );
  return missing === undefined ? undefined : `${missing} does not exist`;
}

/** Whether a `case` of the script has a branch of this name. */
function hasCommand(script: string, name: string): boolean {
  const branches = [...script.matchAll(/^ *([\w-]+(?: \| [\w-]+)*)\)/gm)];
  return branches.some(([, names = '']) => names.split(' | ').includes(name));
}
