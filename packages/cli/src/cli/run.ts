import { CommanderError } from 'commander';
import { explainError } from './explain-error.ts';
import { programOf } from './program.ts';
import { escapeControls } from '../text/escape-controls.ts';
import type { ProcessIo } from './process-io.ts';

/** The exit status after Ctrl-C. */
export const INTERRUPTED = 130;

/** Runs the command of these arguments, and resolves to the exit status. Never rejects. */
export async function runCli(argv: readonly string[], surroundings: ProcessIo): Promise<number> {
  let status = 0;
  let isOfSignals = false;
  const program = programOf(surroundings, (given, ends) => {
    status = given;
    isOfSignals = ends;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) status = error.exitCode === 0 ? 0 : 2; // it has printed its message
    else if (!surroundings.signal.aborted) {
      const { line, status: told } = explainError(error);
      const isVerbose = argv.includes('--verbose');
      surroundings.stderr.write(`Error: ${line}\n${isVerbose ? stackOf(error) : ''}`);
      status = told;
    }
  }
  return surroundings.signal.aborted && !isOfSignals ? INTERRUPTED : status;
}

function stackOf(error: unknown): string {
  const lines = error instanceof Error ? [error.stack ?? String(error)] : [String(error)];
  for (let { cause } = error as Error; cause instanceof Error; { cause } = cause) {
    lines.push(`Caused by: ${cause.stack ?? String(cause)}`);
  }
  return lines
    .flatMap((text) => text.split('\n'))
    .map((line) => `${escapeControls(line)}\n`)
    .join('');
}
