import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { storeBy, transports } from '../../test/support/transports.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { dynamoDBLocal, startDynamoDBLocal } from '../../test/support/components/dynamodb-local.ts';
import type { Proxy } from '../../test/support/components/toxiproxy-client.ts';
import { startToxiproxy, toxiproxy } from '../../test/support/components/toxiproxy.ts';
import {
  type DisturbedJob,
  type DisturbedJobOptions,
  runsWithinALease,
  startDisturbedJob,
} from './support/disturbed-job.ts';
import { roundTripsOf } from './support/round-trips.ts';
import { until } from './support/until.ts';

const MESSAGES = 300;
const LEASE_MS = 6_000;

// Each test disturbs two processors at once, one on each transport of the store: most of their time is spent waiting.
describeWith([toxiproxy, dynamoDBLocal], 'with Toxiproxy before DynamoDB Local', () => {
  let database: LocalService;
  let faults: LocalService;
  let queues: LocalService;
  let proxy: Proxy;
  let dynamoDB: DynamoDBClient;
  let sqs: SQSClient;
  let jobs: readonly DisturbedJob[] = [];
  beforeAll(async () => {
    database = await startDynamoDBLocal();
    const toxics = await startToxiproxy();
    faults = toxics;
    queues = await startSqsEmulator();
    proxy = await toxics.createProxy({ upstream: database.endpoint });
    dynamoDB = emulatorClient(database.endpoint);
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: queues.endpoint });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    dynamoDB.destroy();
    sqs.destroy();
    for (const service of [queues, faults, database]) await service.stop();
  });
  afterEach(async () => {
    await proxy.reset();
    for (const job of jobs) await job.stop();
  });

  it.each(transports)('a batch of 25 records takes two round trips: %s', async (transport) => {
    const tableName = await createClaimsTable(dynamoDB);
    expect(await roundTripsOf(storeBy(transport, proxy.endpoint, { tableName }), proxy, 25)).toBe(2);
  });

  it('slow answers make no second run', async () => {
    await proxy.addToxic({ type: 'latency', attributes: { latency: 200, jitter: 150 } });
    await start({ messages: 100, functionTimeoutMs: 5_000 });
    await untilDone(90_000);
    for (const { runs } of jobs) expect(runs).toHaveLength(100);
    expectPromisesKept();
  });

  it('answers slower than the invocation are not waited for, and what was claimed meanwhile runs later', async () => {
    const latency = 2_500;
    await proxy.addToxic({ type: 'latency', attributes: { latency } });
    const functionTimeoutMs = 2_000;
    await start({ messages: 20, functionTimeoutMs });
    await until('some batches have been answered', () =>
      jobs.every(({ durations }) => durations.length >= 2),
    );
    for (const { durations, runs } of jobs) {
      // On a busy machine an answer may leave later than it should, but not as late as one that waits for the store.
      expect(Math.max(...durations)).toBeLessThan(latency);
      expect(runs).toEqual([]);
    }

    await proxy.reset();
    await untilDone(90_000);
    for (const { runs } of jobs) expect(runs).toHaveLength(20);
    expectPromisesKept();
  });

  it('answers that break off after the write was stored are met again: nothing runs twice', async () => {
    // More than the largest answer, so that some get through and every connection ends in the middle of one.
    await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 8_000 } });
    await start({ messages: MESSAGES, functionTimeoutMs: 5_000 });
    await untilDone(45_000);
    for (const { unanswered, runs, lost } of jobs) {
      expect(unanswered).toBeGreaterThan(0);
      expect(runs).toHaveLength(MESSAGES);
      expect(runs.filter(({ attempt }) => attempt > 1)).toEqual([]);
      expect(lost).toBe(0);
    }
    expectPromisesKept();
  });

  it('requests that break off before they are whole are sent again', async () => {
    await proxy.addToxic({ type: 'limit_data', stream: 'upstream', attributes: { bytes: 20_000 } });
    await start({ messages: MESSAGES, functionTimeoutMs: 5_000 });
    await untilDone(45_000);
    for (const { unanswered } of jobs) expect(unanswered).toBeGreaterThan(0);
    expectPromisesKept();
  });

  it('connections that are reset ten times on the way do no more harm than that', async () => {
    await start({ messages: MESSAGES, functionTimeoutMs: 5_000 });
    for (let resets = 1; resets <= 10; resets += 1) {
      await until('some more is done', () => jobs.every(({ runs }) => runs.length >= 25 * resets));
      const before = jobs.map(({ unanswered }) => unanswered);
      await proxy.addToxic({ type: 'reset_peer', attributes: { timeout: 0 } });
      await until('requests are cut off', () =>
        jobs.every(
          ({ unanswered, runs }, index) => unanswered > (before[index] ?? 0) || runs.length >= MESSAGES,
        ),
      );
      await proxy.removeToxic('reset_peer_downstream');
    }
    await untilDone(45_000);
    expectPromisesKept();
  });

  it('what is done while DynamoDB is away for a while is stored when it is back, and is done once', async () => {
    await startAndFinishAway({ leaseMs: 15_000, functionTimeoutMs: 15_000 });
    await passed(5_000);
    await proxy.enable();

    await untilDone(90_000);
    // jest's own Error is not Node's, which makes AWS's SDK hide a refused connection behind an error without a code.
    for (const [index, { runs }] of jobs.entries()) {
      if (transports[index] === 'direct') expect(runs).toHaveLength(10);
    }
    expectPromisesKept();
  });

  it('what is done while DynamoDB is away is handed back, and runs again when its lease is over, not before', async () => {
    await startAndFinishAway({ leaseMs: LEASE_MS, functionTimeoutMs: 10_000 });
    await passed(LEASE_MS + 1_500);
    await proxy.enable();

    await untilDone(90_000);
    for (const { runs } of jobs) expect(runs).toHaveLength(20);
    expectPromisesKept();
  });

  it('after half a minute without DynamoDB, refused and then silent, all is done by itself', async () => {
    await start({ messages: MESSAGES, functionTimeoutMs: 3_000 });
    await until('a part is done', () => jobs.every(({ runs }) => runs.length >= 50));
    await proxy.disable();
    await passed(15_000);
    await proxy.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
    await proxy.enable();
    const runsBefore = jobs.map(({ runs }) => runs.length);
    await passed(15_000);
    // Nothing starts without a claim; what had started was over long ago.
    expect(jobs.map(({ runs }) => runs.length)).toEqual(runsBefore);
    await proxy.reset();

    await untilDone(90_000);
    for (const { runs } of jobs) expect(new Set(runs.map(({ key }) => key)).size).toBe(MESSAGES);
    expectPromisesKept();
  });

  /** Ten messages whose handlers end when DynamoDB has just gone away. */
  async function startAndFinishAway(
    times: Pick<DisturbedJobOptions, 'leaseMs' | 'functionTimeoutMs'>,
  ): Promise<void> {
    let working = 0;
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const work = (): Promise<void> => {
      working += 1;
      return finished;
    };
    await start({ messages: 10, work, ...times });
    await until('all are being worked on', () => working === 10 * jobs.length);
    await proxy.disable();
    finish();
  }

  /** Starts one job on each transport. */
  async function start(
    options: Omit<DisturbedJobOptions, 'transport' | 'endpoint' | 'sqs' | 'dynamoDB'>,
  ): Promise<void> {
    const { endpoint } = proxy;
    const started: DisturbedJob[] = [];
    jobs = started;
    for (const transport of transports) {
      started.push(await startDisturbedJob({ transport, endpoint, sqs, dynamoDB, ...options }));
    }
  }

  async function untilDone(withinMs: number): Promise<void> {
    await Promise.all(jobs.map((job) => job.untilDone(withinMs)));
  }

  function expectPromisesKept(): void {
    for (const { acknowledgedUnstored, runs } of jobs) {
      expect(acknowledgedUnstored).toEqual([]);
      expect(runsWithinALease(runs)).toEqual([]);
    }
  }

  /** The outage goes on for so long, with invocations all the while. */
  async function passed(ms: number): Promise<void> {
    const since = performance.now();
    const invocations = jobs.map(({ durations }) => durations.length);
    await until('the outage has lasted', () => performance.now() - since >= ms, 2 * ms);
    jobs.forEach(({ durations }, index) => {
      expect(durations.length).toBeGreaterThan(invocations[index] ?? 0);
    });
  }
});
