import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { ProcessIo } from '../../src/cli/process-io.ts';
import { addSubcommandIn } from '../../src/cli/subcommand.ts';

it('A command that fails removes its progress line, so that the error stands alone', async () => {
  let written = '';
  let now = 0;
  const terminal = {
    isTTY: true,
    write: (text: string) => {
      written += text;
    },
  };
  const io: ProcessIo = {
    stdin: Readable.from([]),
    stdout: terminal,
    stderr: terminal,
    env: {},
    now: () => (now += 2_000),
    signal: new AbortController().signal,
    sleep: async () => undefined,
    endSoon: () => undefined,
    operator: () => 'ann@laptop',
  };
  const program = new Command();
  addSubcommandIn(io, () => undefined)(program, {
    name: 'read',
    summary: 'read rows',
    examples: [],
    define: () => undefined,
    load: async () => async (context) => {
      context.screen.progress('1 row read …');
      context.screen.progress('2 rows read …');
      throw new Error('the store is away');
    },
  });
  await expect(program.parseAsync(['read'], { from: 'user' })).rejects.toThrow('the store is away');
  expect(written.endsWith('2 rows read …\r\u001B[K')).toBe(true);
});
