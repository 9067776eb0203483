import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SQS } from '@aws-sdk/client-sqs';
import pLimit from 'p-limit';
import type { QueuedWork } from '../worker/run-queue.ts';
import { MEASURED_ENVIRONMENT } from './worker-process.ts';

/** The SQS emulator, in a process of its own. */
export interface QueueServer {
  /** A new queue with such messages in it. */
  fill(works: readonly QueuedWork[]): Promise<string>;
  /** How many messages are in it, visible or not. */
  left(queueUrl: string): Promise<number>;
  drop(queueUrl: string): Promise<void>;
  stop(): Promise<void>;
}

const SENDERS = 4;

export async function startQueueServer(): Promise<QueueServer> {
  const child = fork(fileURLToPath(new URL('queue-server.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env['PATH'], ...MEASURED_ENVIRONMENT },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [endpoint] = (await once(child, 'message')) as [string];
  const sqs = new SQS({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return {
    async fill(works) {
      const { QueueUrl = '' } = await sqs.createQueue({ QueueName: `q-${randomUUID()}` });
      const limit = pLimit(SENDERS);
      const batches = Array.from({ length: Math.ceil(works.length / 10) }, (_, index) =>
        works.slice(index * 10, index * 10 + 10),
      );
      await Promise.all(batches.map((batch) => limit(() => send(sqs, QueueUrl, batch))));
      return QueueUrl;
    },
    async left(QueueUrl) {
      const { Attributes = {} } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
      const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: hidden } =
        Attributes;
      return Number(visible) + Number(hidden);
    },
    drop: async (QueueUrl) => void (await sqs.deleteQueue({ QueueUrl })),
    async stop() {
      sqs.destroy();
      await ended(child);
    },
  };
}

async function send(sqs: SQS, QueueUrl: string, works: readonly QueuedWork[]): Promise<void> {
  const Entries = works.map((work, index) => ({ Id: String(index), MessageBody: JSON.stringify(work) }));
  await sqs.sendMessageBatch({ QueueUrl, Entries });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
