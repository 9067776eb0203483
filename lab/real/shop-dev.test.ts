import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningChild, startChild } from '../../packages/cli/src/dev/emulators/child-process.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { until } from '../../test/support/until.ts';

const CLI = 'packages/cli/dist/cli/batchlatch.js';
/** So that what a killed function held comes again soon. On AWS it is six times the function's timeout. */
const VISIBILITY_SECONDS = '3';
/** When the functions are killed, once for each order. */
const KILLS = ['a claim is made', 'an order is charged', 'a function starts'] as const;
const ORDERS = 2 * KILLS.length;

interface DevReady {
  readonly queues: Readonly<Record<string, string>>;
  readonly endpoints: Readonly<Record<string, string>>;
  readonly http: Readonly<Record<string, string>>;
}

describe('examples/shop under `batchlatch dev`', () => {
  /** The ids in the answers. */
  const placed = new Set<string>();
  const started = new Set<number>();
  const failures = { answered: 0, broken: 0 };
  let curl: string;
  let dev: RunningChild;
  let ready: DevReady;
  let sqs: SQS;
  let dynamoDB: DynamoDBClient;

  beforeAll(async () => {
    const readme = await readFile('examples/shop/README.md', 'utf8');
    const port = String(await freePort());
    const [, commands = ''] = /<!-- under dev -->\n```bash\n(.+?)```/s.exec(readme) ?? [];
    const [, devArguments = ''] = /^npx batchlatch (.+)$/m.exec(commands.replaceAll('3000', port)) ?? [];
    curl = commands.replaceAll('3000', port).slice(commands.indexOf('curl'));
    let output = '';
    dev = await startChild({
      name: 'batchlatch dev',
      command: process.execPath,
      args: [
        CLI,
        ...devArguments.split(' '),
        '--json',
        '--no-reload',
        '--parameter-overrides',
        // A killed function's lease lasts longer than three receives with this visibility.
        'FunctionTimeout=10',
        'MaxReceiveCount=100',
      ],
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
  });
  afterAll(async () => {
    sqs.destroy();
    dynamoDB.destroy();
    await dev.stop();
  });

  it('places an order once with the commands of its README', async () => {
    const [first, second] = [await curled(), await curled()];
    const [orderId] = /(?<="orderId":")[^"]+/.exec(first) ?? ['none'];
    placed.add(orderId);
    expect(first).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(second).toContain(`"orderId":"${orderId}"`);
    expect(second).toMatch(/^idempotency-replayed: true\r$/m);
  });

  it('charges, receipts and parcels equal the orders, though its functions are killed', async () => {
    let kills = 0;
    const placing: Promise<readonly string[]>[] = [];
    for (let number = 0; number < ORDERS; number += 1) {
      const moment = KILLS[number % KILLS.length] ?? KILLS[0];
      const before = await progress[moment]();
      const key = randomUUID();
      placing.push(Promise.all([place(key), place(key, AbortSignal.timeout(20 * (number + 1)))]));
      await until(moment, async () => (await progress[moment]()) > before);
      for (const pid of await functionsOf(dev.pid)) {
        process.kill(pid, 'SIGKILL');
        kills += 1;
      }
    }
    const answers = await Promise.all(placing);
    for (const [first = '', second] of answers) {
      expect(second).toBe(first);
      placed.add(first);
    }
    await until('all is done', async () =>
      (await Promise.all(['receipt', 'parcel'].map(count))).every((done) => done >= placed.size),
    );

    expect(kills).toBeGreaterThanOrEqual(ORDERS);
    expect(failures.answered).toBeGreaterThan(0);
    expect(failures.broken).toBeGreaterThan(0);
    expect(placed.size).toBe(ORDERS + 1);
    const ids = [...placed].toSorted();
    for (const entry of ['order', 'charge', 'receipt', 'parcel']) expect(await idsOf(entry)).toEqual(ids);
  });

  const progress: Readonly<Record<(typeof KILLS)[number], () => Promise<number>>> = {
    'a claim is made': async () => (await itemsOf('ClaimsTable')).length,
    'an order is charged': () => count('charge'),
    'a function starts': async () => {
      for (const pid of await functionsOf(dev.pid)) started.add(pid);
      return started.size;
    },
  };

  async function curled(): Promise<string> {
    const shell = spawn('bash', ['-euc', curl], { stdio: ['ignore', 'pipe', 'inherit'] });
    return text(shell.stdout);
  }

  /** Sends a request until there is an answer, first with a signal at which its connection is broken. */
  async function place(key: string, signal?: AbortSignal): Promise<string> {
    let answer: { readonly orderId: string } | undefined;
    let isFirst = true;
    await until('the request is answered', async () => {
      const response = await post(key, isFirst ? signal : undefined).catch(() => undefined);
      isFirst = false;
      if (response === undefined) failures.broken += 1;
      else if (response.status >= 500) failures.answered += 1;
      // Its twin is running, or a claim that a killed function held has not expired yet.
      else if (response.status !== 409) answer = response.body as { readonly orderId: string };
      return answer !== undefined;
    });
    return answer?.orderId ?? '';
  }

  async function post(
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${ready.http['ShopApi']}/orders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: '{"cents":1200}',
      ...(signal !== undefined && { signal }),
    });
    return { status: response.status, body: await response.json() };
  }

  async function idsOf(entry: string): Promise<string[]> {
    return (await itemsOf('ShopTable'))
      .filter((item) => item['entry']?.S?.split(' ')[0] === entry)
      .map(({ orderId }) => orderId?.S ?? '')
      .toSorted();
  }

  async function itemsOf(table: string) {
    const { Items = [] } = await dynamoDB.send(new ScanCommand({ TableName: `shop-${table}` }));
    return Items;
  }

  async function count(entry: string): Promise<number> {
    return (await idsOf(entry)).length;
  }
});

/** An unsigned token of the customer ann. */
const TOKEN = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.';

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
