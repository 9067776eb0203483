import { createInterface } from 'node:readline';
import { UsageError } from './cli-error.ts';
import type { ProcessIo } from './process-io.ts';

/** The options `--yes` and `--dry-run`. */
export interface Consent {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Throws a `UsageError` if the command has to ask and has no terminal. Called before anything is read. */
export function assertCanAsk({ yes, dryRun }: Consent, { stdin, stderr }: ProcessIo): void {
  if (yes === true || dryRun === true) return;
  if (stdin.isTTY === true && stderr.isTTY === true) return;
  throw new UsageError(
    'There is no terminal to ask on: add --yes to do it without a question, or --dry-run to see it.',
  );
}

/** Asks a question; any answer but `y` or `yes` is no. */
export async function ask(question: string, { stdin, stderr, signal }: ProcessIo): Promise<boolean> {
  signal.throwIfAborted();
  const lines = createInterface({ input: stdin, terminal: false, signal });
  stderr.write(`${question} [y/N] `);
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    // A closed terminal counts as no.
    lines.once('close', () => resolve(''));
  });
  lines.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}
