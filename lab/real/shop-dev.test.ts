import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningChild, startChild } from '../../packages/cli/src/dev/emulators/child-process.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { until } from '../../test/support/until.ts';

const ORDERS = 4;
/** So that what a killed function held comes again soon. On AWS it is six times the function's timeout. */
const VISIBILITY_SECONDS = '3';

interface DevReady {
  readonly queues: Readonly<Record<string, string>>;
  readonly endpoints: Readonly<Record<string, string>>;
}

describe('examples/shop under `batchlatch dev`', () => {
  let folder: string;
  let invoke: readonly string[];
  let dev: RunningChild;
  let ready: DevReady;
  let sqs: SQS;
  let dynamoDB: DynamoDBClient;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'shop-'));
    const readme = await readFile('examples/shop/README.md', 'utf8');
    const commands = [...readme.matchAll(/^npx batchlatch (.+)$/gm)].map(([, line = '']) => line.split(' '));
    const [devArguments = [], invokeArguments = []] = commands;
    invoke = invokeArguments;
    let output = '';
    dev = await startChild({
      name: 'batchlatch dev',
      command: process.execPath,
      args: [...CLI, ...devArguments, '--json', '--no-reload', '--parameter-overrides', 'FunctionTimeout=10'],
      onOutput: (printed) => (output += printed),
      isReady: async () => output.includes('"type":"ready"'),
      readyWithinMs: 60_000,
    });
    ready = JSON.parse(output.split('\n').find((line) => line.includes('"type":"ready"')) ?? '') as DevReady;
    sqs = new SQS({ ...emulatorClientConfig, endpoint: ready.endpoints['AWS_ENDPOINT_URL_SQS'] ?? '' });
    dynamoDB = emulatorClient(ready.endpoints['AWS_ENDPOINT_URL_DYNAMODB'] ?? '');
    for (const name of ['OrdersQueue', 'DispatchesQueue']) {
      const Attributes = { VisibilityTimeout: VISIBILITY_SECONDS };
      await sqs.setQueueAttributes({ QueueUrl: ready.queues[name], Attributes });
    }
  }, 90_000);
  afterAll(async () => {
    sqs.destroy();
    dynamoDB.destroy();
    await dev.stop();
    await rm(folder, { recursive: true });
  });

  it('charges, receipts and parcels equal the orders, though its functions are killed', async () => {
    let isOver = false;
    let kills = 0;
    const killing = (async () => {
      while (!isOver && kills < ORDERS) {
        const pids = await functionsOf(dev.pid);
        const entries = await count('charge');
        for (const pid of pids) process.kill(pid, 'SIGKILL');
        kills += pids.length;
        await until('the next order is charged', async () => isOver || (await count('charge')) > entries);
      }
    })();
    const ids: string[] = [];
    for (let number = 0; number < ORDERS; number += 1) {
      const event = path.join(folder, `${number}.json`);
      await writeFile(event, await eventWith(randomUUID()));
      const [first, second] = await Promise.all([place(event), place(event)]);
      expect(second).toBe(first);
      ids.push(first);
    }
    await until('all is done', async () =>
      (await Promise.all(['receipt', 'parcel'].map(count))).every((done) => done >= ORDERS),
    );
    isOver = true;
    await killing;

    expect(new Set(ids).size).toBe(ORDERS);
    expect(kills).toBeGreaterThanOrEqual(ORDERS);
    ids.sort();
    for (const entry of ['order', 'charge', 'receipt', 'parcel']) expect(await idsOf(entry)).toEqual(ids);
  }, 120_000);

  /** Asks until there is an answer: a request that meets its twin is told to come again. */
  async function place(event: string): Promise<string> {
    let orderId: string | undefined;
    await until('the request is answered', async () => {
      const args = invoke.map((argument, index) => (invoke[index - 1] === '--event' ? event : argument));
      const child: ChildProcess = spawn(process.execPath, [...CLI, ...args], {
        env: { ...process.env, ...ready.endpoints },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const closed = once(child, 'close');
      const out = child.stdout === null ? '' : await text(child.stdout);
      await closed;
      const { statusCode, body } = JSON.parse(out) as { statusCode: number; body: string };
      if (statusCode === 201) ({ orderId } = JSON.parse(body) as { orderId: string });
      else expect(statusCode).toBe(409);
      return orderId !== undefined;
    });
    return orderId ?? '';
  }

  async function idsOf(entry: string): Promise<string[]> {
    const { Items = [] } = await dynamoDB.send(new ScanCommand({ TableName: 'shop-ShopTable' }));
    return Items.filter((item) => item['entry']?.S?.split(' ')[0] === entry)
      .map(({ orderId }) => orderId?.S ?? '')
      .toSorted();
  }

  async function count(entry: string): Promise<number> {
    return (await idsOf(entry)).length;
  }
});

const CLI = ['packages/cli/dist/cli/batchlatch.js'];

async function eventWith(key: string): Promise<string> {
  return (await readFile('examples/shop/place-order.json', 'utf8')).replace('my-first-order', key);
}

/** Returns the ids of the processes of functions below this one. */
async function functionsOf(pid: number): Promise<number[]> {
  const found: number[] = [];
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter(Boolean).map(Number)) {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      if (/function-process/.test(command.split('\0').slice(0, 4).join(' '))) found.push(child);
      else found.push(...(await functionsOf(child)));
    }
  }
  return found;
}
