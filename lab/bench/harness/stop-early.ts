import type { Lab } from './lab.ts';
import type { Progress } from './progress.ts';

/** On SIGINT and SIGTERM, stops what the run has started, and ends. `clear` removes what it leaves on the disk. */
export function stopOnSignals(lab: Lab, progress: Progress, clear?: () => Promise<void>): void {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      process.on('uncaughtException', () => undefined); // what was stopped fails
      progress.end();
      process.stderr.write(`${signal}: stopping\n`);
      void lab
        .close()
        .then(clear)
        .finally(() => process.exit(status));
    });
  }
}
