import { execFileSync, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome, SeedRange } from './run-seeds.ts';
import type { Mode } from './scenario.ts';

/** What the process tells of its runs. */
export type Message = { readonly started: { seed: number; mode: Mode } } | { readonly ended: Outcome };

const LOOK_EVERY_MS = 10_000;
/** Of the processor, which a busy machine may give slowly. No run takes half of it. */
const LONGEST_RUN_S = 60;

/**
 * Runs seeds in a process of their own. Code that spins, so that not even the simulation gets its turn, can
 * only be seen from outside: such a run is stopped and counts as one whose messages never end.
 */
export function runSeedsWatched(range: SeedRange, onEnd: (outcome: Outcome) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('seeds-process.ts', import.meta.url)));
    let watch: NodeJS.Timeout | undefined;
    let isStopped = false;

    child.on('message', (message: Message) => {
      clearTimeout(watch);
      if ('ended' in message) return onEnd(message.ended);
      let before: number | undefined;
      const look = (): void => {
        const seconds = processorSecondsOf(child.pid as number);
        before ??= seconds;
        if (seconds - before < LONGEST_RUN_S) {
          watch = setTimeout(look, LOOK_EVERY_MS);
          return;
        }
        isStopped = true;
        child.kill('SIGKILL');
        onEnd(spun(message.started));
      };
      watch = setTimeout(look, LOOK_EVERY_MS);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(watch);
      if (code === 0 || isStopped) resolve();
      else reject(new Error(`The simulation's process ended with ${code}`));
    });
    child.send(range);
  });
}

/** Returns the time of the processor that a process has used. */
function processorSecondsOf(pid: number): number {
  const shown = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }); // 00:01:30
  return shown
    .trim()
    .split(/[-:]/)
    .reduce((sum, part) => sum * 60 + Number(part), 0);
}

function spun(run: { readonly seed: number; readonly mode: Mode }): Outcome {
  const message = `the code spins: one step has taken more than ${LONGEST_RUN_S} s`;
  const violation = { invariant: 'every-message-ends', message, atMs: Number.NaN } as const;
  return { ...run, violation, steps: 0, virtualMs: 0, counts: {} };
}
