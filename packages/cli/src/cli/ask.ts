import { createInterface } from 'node:readline';
import { UsageError } from './cli-error.ts';
import type { ProcessIo } from './process-io.ts';

/** How a change is agreed to. */
export interface Consent {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Refuses a change that nobody can be asked about, before anything is read. Throws a `UsageError`. */
export function assertCanAsk({ yes, dryRun }: Consent, { stdin, stderr }: ProcessIo): void {
  if (yes === true || dryRun === true) return;
  if (stdin.isTTY === true && stderr.isTTY === true) return;
  throw new UsageError(
    'There is no terminal to ask on: add --yes to do it without a question, or --dry-run to see it.',
  );
}

/** Asks a question of which the answer is no unless somebody says yes. */
export async function ask(question: string, { stdin, stderr, signal }: ProcessIo): Promise<boolean> {
  signal.throwIfAborted();
  const lines = createInterface({ input: stdin, terminal: false, signal });
  stderr.write(`${question} [y/N] `);
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    // A terminal that is closed has no answer, and that is no.
    lines.once('close', () => resolve(''));
  });
  lines.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}
