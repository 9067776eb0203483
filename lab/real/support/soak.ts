import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { emulatorEnvironment } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { SoakingWorkerMessage, SoakingWorkerSetup } from '../../../test/support/soaking-worker.ts';
import { awsJsonCall } from './aws-json-call.ts';

export interface SoakSetup extends SoakingWorkerSetup {
  readonly sqsEndpoint: string;
  readonly dynamoDBEndpoint: string;
  readonly program: string;
  readonly seconds: number;
  /** Between two looks at the memory. */
  readonly everySeconds: number;
  readonly onSample: (sample: SoakSample) => void;
}

export interface SoakSample {
  readonly seconds: number;
  /** Deleted so far. */
  readonly messages: number;
  /** Live objects, after a full collection. */
  readonly heapBytes: number;
  readonly rssBytes: number;
}

/** In the queue: enough that the worker never waits for one. */
const MOST_WAITING = 2_000;
const SENDERS = 3;
const BODY = JSON.stringify({ orderId: 'order', text: 'x'.repeat(280) });

/** Keeps a queue full for a worker in a process of its own, and looks at that process's memory. */
export async function runSoak(setup: SoakSetup): Promise<SoakSample[]> {
  const { queueUrl, tableName, sqsEndpoint, onSample } = setup;
  const worker = fork(setup.program, [JSON.stringify({ queueUrl, tableName })], {
    execArgv: ['--expose-gc'],
    env: {
      PATH: process.env['PATH'],
      ...emulatorEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: setup.dynamoDBEndpoint,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let deleted = 0;
  worker.on('message', (message: SoakingWorkerMessage) => void ({ deleted } = message));
  const over = new AbortController();
  let sent = 0;
  const send = async (): Promise<void> => {
    while (!over.signal.aborted) {
      if (sent - deleted > MOST_WAITING) await delay(10);
      else sent += await sendTen(sqsEndpoint, queueUrl);
    }
  };
  const senders = Array.from({ length: SENDERS }, send);
  const samples: SoakSample[] = [];
  try {
    for (let seconds = setup.everySeconds; seconds <= setup.seconds; seconds += setup.everySeconds) {
      await delay(setup.everySeconds * 1_000);
      const sample = { seconds, ...(await memoryOf(worker)) };
      samples.push(sample);
      onSample(sample);
    }
    return samples;
  } finally {
    over.abort();
    worker.kill('SIGKILL');
    await Promise.all(senders);
  }
}

async function sendTen(endpoint: string, QueueUrl: string): Promise<number> {
  const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: String(index), MessageBody: BODY }));
  await awsJsonCall(endpoint, 'sqs', 'AmazonSQS.SendMessageBatch', { QueueUrl, Entries });
  return Entries.length;
}

async function memoryOf(worker: ChildProcess): Promise<Omit<SoakSample, 'seconds'>> {
  if (worker.exitCode !== null) throw new Error(`The worker ended with ${worker.exitCode}`);
  // One listener for as long as it takes: messages that arrive together are told in one turn, in which no promise goes on.
  return new Promise((resolve, reject) => {
    const listen = ({ deleted: messages, heapBytes, rssBytes }: SoakingWorkerMessage): void => {
      if (heapBytes === undefined || rssBytes === undefined) return;
      stopListening();
      resolve({ messages, heapBytes, rssBytes });
    };
    const fail = (code: number | null, signal: string | null): void => {
      stopListening();
      reject(new Error(`The worker ended with ${code ?? signal}`));
    };
    const stopListening = (): void => {
      worker.off('message', listen);
      worker.off('exit', fail);
    };
    worker.on('message', listen);
    worker.on('exit', fail);
    worker.send('look');
  });
}
