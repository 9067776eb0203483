import type { Worker, WorkerCounters, WorkerOptions } from 'batchlatch/worker';
import type { Context } from '../context.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** The log of a worker: a line or a JSON document for each event. */
export interface WorkerLog {
  started(): void;
  /** Logs the counters at the end. */
  ended(): void;
}

/** The least time between two equal lines: what fails for one message often fails for all. */
const QUIET_MS = 10_000;
const LONGEST_ERROR = 512;

type Told = Readonly<Record<string, unknown>>;

/** Logs an event, as text or as a JSON document. */
export type Tell = (event: string, told: Told, text: string) => void;

/** Returns a logger that adds the time, and the number of the process if there are several. */
export function tellOf({ screen, now }: Context, process?: number): Tell {
  return (event, told, text) => {
    const time = new Date(now()).toISOString();
    if (screen.isJson)
      screen.json({ time, event, ...(process !== undefined && { process }), ...told }, 'line');
    else
      screen.line(
        time.replace(/\.\d+Z$/, process === undefined ? 'Z ' : `Z [${process}] `) + escapeControls(text),
      );
  };
}

export function workerLog(
  worker: Worker,
  options: WorkerOptions,
  context: Context,
  process?: number,
): WorkerLog {
  const { now } = context;
  const tell = tellOf(context, process);
  const toldAt = new Map<string, number>();
  let isStarted = false;

  function tellOnce(event: string, told: Told, text: string): void {
    const last = toldAt.get(text);
    if (last !== undefined && now() - last < QUIET_MS) return;
    if (toldAt.size > 100) toldAt.clear();
    toldAt.set(text, now());
    tell(event, told, text);
  }

  worker.on('state', (state) => {
    if (isStarted) tell('state', { state }, STATES[state]);
  });
  worker.on('receiveFailed', ({ error, nextInMs }) => {
    const nextMs = Math.round(nextInMs);
    tell('receiveFailed', { error: textOf(error), nextInMs: nextMs }, `Receive failed: ${textOf(error)}`);
  });
  worker.on('storeDown', (isDown) =>
    tell(
      'storeDown',
      { isDown },
      isDown ? 'The claim store does not answer: receiving is paused' : 'The claim store answers again',
    ),
  );
  worker.on('handlerFailed', (thrown) => {
    const error = textOf(thrown);
    tellOnce('handlerFailed', { error }, `The handler failed: ${error}`);
  });
  worker.on('deleteFailed', ({ error }) => {
    tellOnce('deleteFailed', { error: textOf(error) }, `A message was not deleted: ${textOf(error)}`);
  });
  worker.on('visibilityLost', ({ error }) => {
    tellOnce('visibilityLost', { error: textOf(error) }, `A message became visible again: ${textOf(error)}`);
  });

  return {
    started() {
      isStarted = true;
      const { queueUrl, maxInFlight = 100, receivers = 4, name } = options;
      const told = { queueUrl, name, maxInFlight, receivers };
      tell('started', told, `Working ${queueUrl}, up to ${maxInFlight} messages at once`);
    },
    ended() {
      const { counters, running } = worker;
      tell('ended', { ...counters, running }, summaryOf(counters, running));
    },
  };
}

const STATES = {
  new: 'New',
  running: 'Running',
  paused: 'Paused: nothing is received',
  stopping: 'Stopping: waiting for running handlers and open receives',
  stopped: 'Stopped',
} as const;

export function summaryOf(
  { received, acknowledged, failed, handedBack }: WorkerCounters,
  running: number,
): string {
  const parts = [`${received} received`, `${acknowledged} done`, `${failed} failed`];
  if (handedBack > 0) parts.push(`${handedBack} handed back before they started`);
  if (running > 0) parts.push(`${running} still running: they come again`);
  return parts.join(', ');
}

function textOf(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return text.replaceAll(/\s*\n\s*/g, ' ').slice(0, LONGEST_ERROR);
}
