import type { Context } from './context.ts';
import { explainError } from './explain-error.ts';
import type { ExitStatus } from './process-io.ts';

/** A value that `--watch` reads repeatedly, and how to show it. */
export interface Watched<Snapshot> {
  /** Such as `Claims of table claims`. */
  readonly title: string;
  read(): Promise<Snapshot>;
  show(snapshot: Snapshot): void;
  toJson(snapshot: Snapshot): unknown;
  /** Returns a line for each change; `before` is undefined at first. */
  changes(before: Snapshot | undefined, after: Snapshot): readonly string[];
}

/**
 * Reads and shows a value until the command is aborted: redraws the page on a terminal, prints a line for
 * each change elsewhere, or a JSON document per line. A reading that fails after the first is retried.
 */
export async function watch<Snapshot>(
  context: Context,
  seconds: number,
  watched: Watched<Snapshot>,
): Promise<ExitStatus> {
  const { screen, signal } = context;
  let before: Snapshot | undefined;
  while (!signal.aborted) {
    const snapshot = await readAgain(context, watched, before);
    if (snapshot !== undefined) {
      if (screen.isJson) screen.json(watched.toJson(snapshot), 'line');
      else if (screen.isTerminal) draw(context, seconds, watched, snapshot);
      else for (const line of watched.changes(before, snapshot)) screen.line(`${stamp(context)} ${line}`);
      before = snapshot;
    }
    await context.sleep(seconds * 1_000);
  }
  return 0;
}

async function readAgain<Snapshot>(
  { screen, signal }: Context,
  watched: Watched<Snapshot>,
  before: Snapshot | undefined,
): Promise<Snapshot | undefined> {
  try {
    return await watched.read();
  } catch (error) {
    if (before === undefined || signal.aborted) throw error;
    screen.note(`Error: ${explainError(error).line} Trying again.`);
    return undefined;
  }
}

function draw<Snapshot>(
  context: Context,
  seconds: number,
  watched: Watched<Snapshot>,
  snapshot: Snapshot,
): void {
  const { screen } = context;
  screen.clear();
  screen.line(
    screen.paint('dim', `${watched.title}, every ${seconds} s, ${stamp(context)}. Ctrl-C ends it.`),
  );
  screen.line();
  watched.show(snapshot);
}

function stamp({ now }: Context): string {
  return new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z');
}
