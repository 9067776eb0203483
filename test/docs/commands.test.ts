import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Io } from '../../packages/create/src/io.ts';
import { runCreate } from '../../packages/create/src/run-create.ts';
import { refusalOf, unknownIn } from './command-lines.ts';
import { PAGES } from './pages.ts';
import { shellCommands, wordsOf } from './shell-commands.ts';

/** What npm shows of each package is read too. */
const pages = new Map([
  ...PAGES,
  ...['cdk', 'cli', 'create']
    .map((name) => path.join('packages', name, 'README.md'))
    .map((page) => [page, readFileSync(page, 'utf8')] as const),
]);
const commands = shellCommands(pages);
const OURS = /^(?:npx )?batchlatch(?:-cli)? /;
const folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-create-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('The commands of batchlatch that the pages show', () => {
  it('are parsed by the command line: commands, options, choices and arguments', () => {
    const ours = commands.filter(({ command }) => OURS.test(command));
    expect(ours.length).toBeGreaterThan(80);
    expect(
      ours.flatMap(({ at, command }) => {
        const refusal = refusalOf(command);
        return refusal === undefined ? [] : [`${at}: ${command}: ${refusal}`];
      }),
    ).toEqual([]);
  });

  it.each([
    ['npx batchlatch claims lst --table claims', "unknown command 'lst'"],
    ['npx batchlatch claims list --tabel claims', "unknown option '--tabel'"],
    ['npx batchlatch claims list --state lost', "'lost' is invalid"],
    ['npx batchlatch claims list --table', 'argument missing'],
    ['npx batchlatch work', "missing required argument 'module'"],
    ['npx batchlatch work orders.ts more.ts', 'too many arguments'],
    ['npx batchlatch work orders.ts --max-in-flight none', 'Give a whole number'],
  ])('are refused if they are wrong: %s', (command, refusal) => {
    expect(refusalOf(command)).toContain(refusal);
  });

  it('are split as a shell splits them', () => {
    const command = 'npx batchlatch claims release "a b" --table claims --reason "it works" # at last';
    expect(refusalOf(command)).toBeUndefined();
    expect(wordsOf(command)).toContain('a b');
  });

  it('are in texts too, where what is left out of them is not asked for', () => {
    const texts = [...pages]
      .filter(([page]) => !page.startsWith('docs/decisions/'))
      .flatMap(([page, text]) =>
        [...text.replaceAll(/```.*?```/gs, '').matchAll(/`((?:npx )?batchlatch [^`]+)`/g)].map(
          ([, command = '']) => ({ page, command }),
        ),
      );
    expect(texts.length).toBeGreaterThan(60);
    expect(
      texts.flatMap(({ page, command }) => unknownIn(command).map((what) => `${page}: ${what}`)),
    ).toEqual([]);
  });

  it.each([
    ['batchlatch claims lst', ['no command claims lst']],
    ['batchlatch dev --consol', ['dev has no --consol']],
    ['npx batchlatch dev --console', []],
    ['batchlatch work', []],
  ])('are known in texts: %s', (command, unknown) => {
    expect(unknownIn(command)).toEqual(unknown);
  });
});

describe('The commands of npm create that the pages show', () => {
  const creating = commands.filter(({ command }) => command.startsWith('npm create batchlatch@latest'));

  it('are there', () => {
    expect(creating.length).toBeGreaterThan(3);
  });

  it.each(creating.map(({ at, command }, index) => [at, command, index] as const))(
    '%s writes a project: %s',
    async (_at, command, index) => {
      const [name = '', ...given] = wordsOf(command).slice(3);
      const answers = given.filter((word) => word !== '--');
      let told = '';
      const stream = { write: (text: string) => void (told += text), isTTY: false };
      const io = { stdin: { isTTY: false }, stdout: stream, stderr: stream, env: {}, cwd: folder };
      const place = path.join(String(index), name);
      const status = await runCreate([place, ...answers, '--yes'], io as unknown as Io);
      expect([status, told]).toEqual([0, expect.stringContaining('Wrote')]);
      expect(existsSync(path.join(folder, place, 'orders.ts'))).toBe(true);
    },
  );
});
