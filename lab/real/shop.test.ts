import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { elasticMQ, startElasticMQ } from '../../test/support/components/elasticmq.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { poolOf } from '../../test/support/postgres-table.ts';
import { atPace, type SqsInterposed, type SqsProxy, startSqsProxy } from '../../test/support/sqs-proxy.ts';
import { until } from '../../test/support/until.ts';
import { seededRandom } from '../local/demo/seeded-random.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { createQueue } from './support/create-queue.ts';

const FOLDER = 'examples/shop';
/** Hidden for a minute by the worker, for five seconds by the queue: what a dead worker held comes again soon. */
const PACE = 12;
const KILLS = 10;
const ORDERS_BETWEEN = 8;

describeWith([postgres, elasticMQ], 'examples/shop on the worker', () => {
  const random = seededRandom(20_261_201);
  const children = new Set<ChildProcess>();
  let server: PostgresServer;
  let elastic: LocalService;
  let queues: SqsProxy;
  let sqs: SQS;
  let pool: Pool;
  let environment: NodeJS.ProcessEnv;
  let shop: string;
  const programs = { web: '', worker: '' };

  beforeAll(async () => {
    [server, elastic, programs.web, programs.worker] = await Promise.all([
      startPostgres(),
      startElasticMQ(),
      bundleProgram('web', { folder: `${FOLDER}/worker` }),
      bundleProgram('worker', { folder: `${FOLDER}/worker` }),
    ]);
    sqs = new SQS({ ...emulatorClientConfig, endpoint: elastic.endpoint });
    queues = await startSqsProxy(elastic.endpoint);
    queues.interpose(atPace(PACE, withoutGroups));
  }, INSTALL_TIMEOUT_MS);
  beforeEach(async () => {
    const PGDATABASE = `shop_${randomUUID().slice(0, 8)}`;
    const admin = poolOf(server.endpoint);
    await admin.query(`CREATE DATABASE ${PGDATABASE}`);
    await admin.end();
    const { hostname, port, href } = new URL(PGDATABASE, server.endpoint);
    pool = poolOf(href);
    const [orders, dispatches] = await Promise.all(
      [1, 2].map(() => createQueue(sqs, { visibilityTimeoutSeconds: 30 })),
    );
    const PORT = String(await freePort());
    shop = `http://127.0.0.1:${PORT}/orders`;
    environment = {
      ...process.env,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: 'postgres',
      PGDATABASE,
      PORT,
      ORDERS_QUEUE_URL: queues.through(orders?.queueUrl ?? ''),
      DISPATCHES_QUEUE_URL: queues.through(dispatches?.queueUrl ?? ''),
      BATCHLATCH_LOG_LEVEL: 'silent',
    };
  });
  afterEach(async () => {
    await Promise.all([...children].map(kill));
    children.clear();
    await pool.end();
  });
  afterAll(async () => {
    sqs.destroy();
    await Promise.all([queues.stop(), elastic.stop(), server.stop()]);
  });

  it('places an order once with the commands of its README', async () => {
    const readme = await readFile(`${FOLDER}/README.md`, 'utf8');
    const [, commands = ''] = /<!-- on the worker -->\n```bash\n(.+?)```/s.exec(readme) ?? [];
    const shell = start('bash', [
      '-euc',
      commands.replaceAll('127.0.0.1:3000/orders', shop.replace('http://', '')),
    ]);
    const out = textOf(shell);
    await until('both requests are answered', () => out().match(/"orderId"/g)?.length === 2);
    await until('all is done', async () => (await count('parcels')) === 1 && (await count('receipts')) === 1);

    const ids = [...out().matchAll(/"orderId":"([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(1);
    expect(out()).toMatch(/idempotency-replayed: true/i);
    await expectEffectsToEqualOrders(1);
  });

  it(`charges, receipts and parcels equal the orders, though its processes are killed ${KILLS} times`, async () => {
    await createTables();
    const running = { web: await startProgram('web'), worker: await startProgram('worker') };
    const answers: Promise<string[]>[] = [];
    for (let killed = 1; killed <= KILLS; killed += 1) {
      const charged = await count('charges');
      for (let index = 0; index < ORDERS_BETWEEN; index += 1) answers.push(placeTwice(randomUUID()));
      const name = killed % 2 === 0 ? 'web' : 'worker';
      // In the middle of these orders: the first ones are charged, or the first requests have come.
      if (name === 'worker') await until('one is charged', async () => (await count('charges')) > charged);
      await delay(random.integer(60));
      await kill(running[name]);
      running[name] = await startProgram(name);
    }
    const ids = await Promise.all(answers);
    await until('all is done', async () => {
      const [orders, receipts, parcels] = await Promise.all(['orders', 'receipts', 'parcels'].map(count));
      return receipts === orders && parcels === orders;
    });
    await Promise.all(Object.values(running).map(stop));

    expect(ids.every(([first, second]) => first === second)).toBe(true);
    expect(new Set(ids.flat()).size).toBe(KILLS * ORDERS_BETWEEN);
    await expectEffectsToEqualOrders(KILLS * ORDERS_BETWEEN);
  });

  async function createTables(): Promise<void> {
    const child = start(process.execPath, ['--import', 'tsx', `${FOLDER}/worker/create-tables.ts`]);
    expect(await once(child, 'exit')).toEqual([0, null]);
  }

  /** Two clients ask with one key, each again and again until it is answered. */
  function placeTwice(key: string): Promise<string[]> {
    const body = JSON.stringify({ cents: 1 + random.integer(10_000) });
    return Promise.all([place(key, body), place(key, body)]);
  }

  async function place(key: string, body: string): Promise<string> {
    let orderId = '';
    await until(`the request ${key} is answered`, async () => {
      const headers = { authorization: 'Bearer try-it', 'idempotency-key': key };
      const response = await fetch(shop, { method: 'POST', headers, body }).catch(() => undefined);
      const answer = await response?.json().catch(() => undefined);
      if (response !== undefined && ![201, 409, 500, 503].includes(response.status)) {
        throw new Error(`${response.status} ${JSON.stringify(answer)}`);
      }
      if (response?.status === 201) ({ orderId } = answer as { orderId: string });
      return orderId !== '';
    });
    return orderId;
  }

  async function expectEffectsToEqualOrders(orders: number): Promise<void> {
    const ids = async (text: string): Promise<string[]> => {
      const { rows } = await pool.query<{ id: string }>(text);
      return rows.map(({ id }) => id);
    };
    const placed = await ids('SELECT id FROM orders ORDER BY id');
    expect(placed).toHaveLength(orders);
    for (const table of ['charges', 'receipts', 'parcels']) {
      expect(await ids(`SELECT order_id AS id FROM ${table} ORDER BY order_id`)).toEqual(placed);
    }
    expect(await count('orders_outbox')).toBe(0);
    expect(await count('dispatches_outbox')).toBe(0);
  }

  async function count(table: string): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int FROM ${table}`);
    return rows[0]?.count ?? NaN;
  }

  async function startProgram(name: keyof typeof programs): Promise<ChildProcess> {
    const child = start(process.execPath, [programs[name]]);
    const out = textOf(child);
    await until(`${name} runs`, () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${out()}`);
      return /Listening|is running/.test(out());
    });
    return child;
  }

  function start(command: string, args: readonly string[]): ChildProcess {
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
    const child = spawn(command, args, { env: environment, stdio, detached: true });
    children.add(child);
    return child;
  }

  async function stop(child: ChildProcess): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  }
});

/** ElasticMQ refuses message groups on standard queues, which make fair queues of SQS. */
const withoutGroups: SqsInterposed = ({ input }, ask) => {
  const Entries = input.Entries?.map((entry) => ({ ...entry, MessageGroupId: undefined }));
  return ask(Entries === undefined ? input : { ...input, Entries });
};

function textOf(child: ChildProcess): () => string {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part));
  return () => text;
}

/** With all that it has started. */
async function kill(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  try {
    process.kill(-(child.pid ?? NaN), 'SIGKILL');
  } catch {
    // All have ended.
  }
  await exited;
}
