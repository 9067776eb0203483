import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from './run-command.ts';

describe('The completion of bash', () => {
  /** What Tab offers after these words, of which the last is begun. */
  async function offered(...words: string[]): Promise<string[]> {
    const { out: script } = await runCommand(['completion', 'bash']);
    const ask = `${script}
COMP_WORDS=(batchlatch "$@"); COMP_CWORD=$#; _batchlatch; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', ask, 'bash', ...words]);
    return stdout.split('\n').filter((line) => line !== '');
  }

  it.each([
    [['c'], ['claims', 'console', 'completion']],
    [
      ['claims', 're'],
      ['release', 'resolve'],
    ],
    [['claims', 'list', '--st'], ['--state']],
    [
      ['claims', 'list', '--state', ''],
      ['in-progress', 'overdue', 'failed', 'parked', 'completed'],
    ],
    [
      ['outbox', 'list', '--state', ''],
      ['waiting', 'parked', 'dropped'],
    ],
    [['claims', '--table', 'claims', 'list', '--pre'], ['--prefix']],
    [['claims', 'release', 'KEY', '--rea'], ['--reason']],
    [['claims', 'list', '--table', ''], []],
    ...[
      ['claims', 'show', '--payload'],
      ['dev', '--template'],
      ['dev', '--env-vars'],
      ['invoke', '--event'],
    ].map((words): [string[], string[]] => [[...words, './package.js'], ['./package.json']]),
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
  ])('offers, after %j, %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});

it.each([
  ['zsh', "'list:list claims, by state or prefix'"],
  [
    'fish',
    "complete -c batchlatch -n '__fish_seen_subcommand_from claims; and __fish_seen_subcommand_from list' -l state -x -a 'in-progress overdue failed parked completed' -d 'claims in this state'",
  ],
])('The completion of %s knows commands and options', async (shell, line) => {
  const { status, out } = await runCommand(['completion', shell]);
  expect(status).toBe(0);
  expect(out).toContain(line);
});

it('There is no completion of other shells', async () => {
  const { status, err } = await runCommand(['completion', 'sh']);
  expect(status).toBe(2);
  expect(err).toContain('Allowed choices are bash, zsh, fish.');
});
