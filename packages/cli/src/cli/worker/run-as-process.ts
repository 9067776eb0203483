import type { Worker } from 'batchlatch/worker';
import type { Context } from '../context.ts';
import { explainError } from '../explain-error.ts';
import type { ExitStatus } from '../process-io.ts';
import { PLACE_VARIABLE, type ProcessMessage, STOP, TELL_EVERY_MS } from './process-messages.ts';

type Work = (context: Context, onStarted: (worker: Worker) => void) => Promise<ExitStatus>;

/** Runs a worker as a process of a supervisor: reports its health, and stops with the supervisor. */
export async function runAsProcess(context: Context, work: Work): Promise<ExitStatus> {
  delete process.env[PLACE_VARIABLE]; // handlers' child processes must not have it
  const stop = new AbortController();
  process.on('message', (message) => {
    if (message === STOP) stop.abort();
  });
  process.once('disconnect', () => stop.abort()); // the supervisor has died
  if (!process.connected) stop.abort(); // before this was loaded
  process.on('SIGHUP', () => undefined); // for the supervisor: a terminal sends it to all
  let tell = (): Promise<void> => Promise.resolve();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  try {
    return await work({ ...context, signal }, (worker) => {
      tell = () =>
        send({
          batchlatch: 'health',
          health: worker.health(),
          memoryBytes: process.memoryUsage.rss(),
        });
      void tell();
      setInterval(() => void tell(), TELL_EVERY_MS).unref();
    });
  } catch (error) {
    const { line, status } = explainError(error);
    await send({ batchlatch: 'failed', line, status });
    return status;
  } finally {
    await tell();
    if (process.connected) process.disconnect();
  }
}

/** Resolves when the message is sent or cannot be. */
function send(message: ProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
