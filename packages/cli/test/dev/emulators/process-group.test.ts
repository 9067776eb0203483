import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { inProcessGroup, signalGroup } from '../../../src/dev/emulators/process-group.ts';
import { until } from '../../../../../test/support/until.ts';

/** Starts a program that is busy for ever in a process group, prints its process id, and waits. */
const PARENT = (grouped: { command: string; args: readonly string[] }): string => `
  const { spawn } = require('node:child_process');
  const child = spawn(${JSON.stringify(grouped.command)}, ${JSON.stringify(grouped.args)}, { detached: true, stdio: ['pipe', 'inherit', 'inherit', 'ipc'] });
  console.log(child.pid);
  setInterval(() => {}, 1_000);
`;

it('ends a program that never looks up when its parent is killed', async () => {
  const busy = inProcessGroup('busy', process.execPath, ['-e', 'for (;;) {}']);
  const parent = spawn(process.execPath, ['-e', PARENT(busy)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(String(printed));
  try {
    expect(isThere(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until('the program is gone', () => !isThere(pid));
  } finally {
    signalGroup(pid, 'SIGKILL');
  }
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
