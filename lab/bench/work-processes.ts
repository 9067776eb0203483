/**
 * Measures the messages a second of `batchlatch work --processes N` beside `sqs-consumer` at its defaults, with
 * handlers of 50 ms, in turns: `node --import tsx lab/bench/work-processes.ts [rounds] [processes]`. The emulator
 * shares the machine: with few cores it is the limit.
 */
import '../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildCli } from '../../scripts/build-cli.ts';
import { buildWorkers } from './harness/build.ts';
import { type QueueServer, startQueueServer } from './harness/filled-queue.ts';
import { BUILD, ROOT } from './harness/paths.ts';
import { MEASURED_ENVIRONMENT, WorkerProcess } from './harness/worker-process.ts';

const [rounds = 3, processes = 2] = process.argv.slice(2).map(Number);
const HANDLER_MS = 50;
const MESSAGES = 8_000;
const MESSAGES_OF_CONSUMER = 600;

/** Tells when a process began its first message and ended its last. */
const MODULE = `let first, last;
export const handler = async ({ Records }) => {
  first ??= Date.now();
  for (const { body } of Records) await new Promise((resolve) => setTimeout(resolve, JSON.parse(body).waitMs));
  last = Date.now();
};
process.on('exit', () => { if (first !== undefined) console.error('span ' + first + ' ' + last); });
`;

async function perSecondOfWork(server: QueueServer, module: string): Promise<number> {
  const queueUrl = await filled(server, MESSAGES);
  const args = ['work', module, `--queue-url=${queueUrl}`, `--processes=${processes}`, '--json'];
  const work = spawn(process.execPath, [path.join(BUILD, 'cli/batchlatch.js'), ...args], {
    env: { PATH: process.env['PATH'], ...MEASURED_ENVIRONMENT },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let spans = '';
  work.stderr.setEncoding('utf8').on('data', (text: string) => (spans += text));
  while ((await server.left(queueUrl)) > 0) await new Promise((resolve) => setTimeout(resolve, 200));
  work.kill('SIGTERM');
  await once(work, 'exit');
  await server.drop(queueUrl);
  const times = [...spans.matchAll(/span (\d+) (\d+)/g)];
  const first = Math.min(...times.map(([, one]) => Number(one)));
  const last = Math.max(...times.map(([, , one]) => Number(one)));
  return MESSAGES / ((last - first) / 1_000);
}

async function perSecondOfConsumer(server: QueueServer, consumer: WorkerProcess): Promise<number> {
  const queueUrl = await filled(server, MESSAGES_OF_CONSUMER);
  const { messages, seconds } = await consumer.run('queue', {
    consumer: 'sqs-consumer',
    queueUrl,
    tableName: '',
    endpoint: '',
    messages: MESSAGES_OF_CONSUMER,
    limitMs: 60_000,
  });
  await server.drop(queueUrl);
  return messages / seconds;
}

function filled(server: QueueServer, count: number): Promise<string> {
  return server.fill(Array.from({ length: count }, () => ({ waitMs: HANDLER_MS, text: 'x'.repeat(280) })));
}

await buildWorkers();
await buildCli(ROOT, path.join(BUILD, 'cli'));
const module = path.join(BUILD, 'handler-of-50-ms.mjs');
await writeFile(module, MODULE);
const [server, consumer] = [await startQueueServer(), new WorkerProcess()];
for (let round = 0; round < rounds; round += 1) {
  const ofConsumer = await perSecondOfConsumer(server, consumer);
  const ofWork = await perSecondOfWork(server, module);
  const times = (ofWork / ofConsumer).toFixed(1);
  process.stdout.write(`sqs-consumer ${ofConsumer.toFixed(0)}/s, work ${ofWork.toFixed(0)}/s: ${times}x\n`);
}
await Promise.all([server.stop(), consumer.stop()]);
