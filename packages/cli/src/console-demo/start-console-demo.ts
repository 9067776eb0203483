import { randomUUID } from 'node:crypto';
import { setTimeout as delayed } from 'node:timers/promises';
import type { SQS } from '@aws-sdk/client-sqs';
import type { ClaimAdmin, KeyOfMessage } from 'batchlatch/operations';
import type { ClaimStore } from 'batchlatch/core';
import { dynamoDBAdmin, dynamoDBStore } from 'batchlatch/dynamodb';
import { createWorker } from 'batchlatch/worker';
import { DisposeStack } from '../dev/emulators/dispose-stack.ts';
import type { ReadLog } from '../console/waterfall/read-waterfall.ts';
import type { LocalService } from '../dev/emulators/local-service.ts';
import type { DemoOutbox } from './demo-outbox.ts';
import { type DemoServices, startDemoServices, type WorkQueues } from './demo-services.ts';
import { DemoLog } from './demo-log.ts';
import { claimsWithAPast, earlierClaims, hungClaims, writeClaims } from './earlier-claims.ts';
import { deleteExpired } from './housekeeping.ts';
import { keyOf, KINDS } from './kinds-of-work.ts';
import { sendWork } from './sending.ts';
import { idIn, withDeaths, workHandler } from './work-handler.ts';

/** Options of `startConsoleDemo()`. */
export interface ConsoleDemoOptions {
  /** The seed of the work and its sequence. Default 1. */
  readonly seed?: number;
  /** Work items per second, on average. Default 3. */
  readonly rate?: number;
  /** Called with errors of the demo itself. */
  readonly onTrouble: (error: unknown) => void;
}

/** A running demo with its claims and queues. */
export interface ConsoleDemo {
  readonly store: ClaimAdmin;
  readonly place: string;
  readonly sqs: SQS;
  readonly queues: readonly { readonly url: string; readonly name: string; readonly isDeadLetter: boolean }[];
  /** Derives the key of a message from its body. */
  readonly key: KeyOfMessage;
  /** Reads the log of the work. */
  readonly readLog: ReadLog;
  /** An outbox of mails, two of them parked. Undefined on dynalite, which has no PartiQL. */
  readonly outbox?: DemoOutbox['shown'];
  /** The running emulators. */
  readonly services: readonly LocalService[];
  /** Stops the work and the emulators. No data is kept. */
  stop(): Promise<void>;
}

/** Longer than the range of the console's plots. */
const RETENTION_MS = 20 * 60_000;
const HOUSEKEEPING_MS = 30_000;
const SWEEP_MS = 2_000;
/** Shorter than the queues' visibility timeout. */
const LEASE_OF_THE_DYING_MS = 4_000;

/**
 * Starts emulators on this machine, then sends and processes fake work until stopped: orders and mails, some
 * of them duplicated, slow, declined, out of stock or fatal to their process. Parked and dead-lettered work
 * succeeds once a person releases or redrives it, except one order whose card stays blocked.
 */
export async function startConsoleDemo(options: ConsoleDemoOptions): Promise<ConsoleDemo> {
  const { seed = 1, rate = 3, onTrouble } = options;
  const cleanup = new DisposeStack();
  try {
    const services = await startDemoServices(cleanup);
    const { dynamoDB, sqs, tableName, writes, queues, outbox, running } = services;
    const table = { tableName, client: dynamoDB, writes, overdueIndex: true };
    const store = dynamoDBStore(table);
    const admin = dynamoDBAdmin(table);
    const now = Date.now();
    await writeClaims(admin, earlierClaims({ seed, now, rate, retentionMs: RETENTION_MS }));
    await writeClaims(admin, claimsWithAPast(now, RETENTION_MS));
    await leaveHung(admin, services, now);
    const stopping = new AbortController();
    const log = new DemoLog();
    for (const work of queues) await startWorkers(work, { store, sqs, seed, log }, cleanup);
    const sending = sendWork({ sqs, queues, seed, rate, signal: stopping.signal, delay });
    const cleaning = every(HOUSEKEEPING_MS, stopping.signal, () =>
      deleteExpired(dynamoDB, tableName, Date.now()),
    );
    const loops = [sending, cleaning];
    if (outbox !== undefined) loops.push(every(SWEEP_MS, stopping.signal, outbox.sweep));
    for (const loop of loops) loop.catch(onTrouble);
    cleanup.defer(async () => {
      stopping.abort();
      await Promise.allSettled(loops);
    });
    return {
      store: admin,
      place: `table ${tableName} of the demo`,
      sqs,
      queues: queues.flatMap(namesOf),
      key: ({ body }) => keyIn(body),
      readLog: log.read,
      ...(outbox !== undefined && { outbox: outbox.shown }),
      services: running,
      stop: () => cleanup.run(),
    };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

function namesOf({ kind, url, deadLetterUrl }: WorkQueues): ConsoleDemo['queues'] {
  return [
    { url, name: kind.namespace, isDeadLetter: false },
    { url: deadLetterUrl, name: `${kind.namespace}-dead-letters`, isDeadLetter: true },
  ];
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await delayed(ms, undefined, { signal });
}

/** Writes claims whose processes died before the demo, and sends their messages to the dead-letter queue. */
async function leaveHung(admin: ClaimAdmin, { sqs, queues }: DemoServices, now: number): Promise<void> {
  const hung = hungClaims(now);
  await writeClaims(
    admin,
    hung.map(({ claim }) => claim),
  );
  for (const { kind, id } of hung) {
    const QueueUrl = queues.find((one) => one.kind === kind)?.deadLetterUrl;
    await sqs.sendMessage({ QueueUrl, MessageBody: JSON.stringify(kind.body(id, now)) });
  }
}

interface WorkPorts {
  readonly store: ClaimStore;
  readonly sqs: SQS;
  readonly seed: number;
  readonly log: DemoLog;
}

async function startWorkers(
  { kind, url: queueUrl, deadLetterUrl }: WorkQueues,
  { store, sqs, seed, log }: WorkPorts,
  cleanup: DisposeStack,
): Promise<void> {
  const work = workHandler({
    kind,
    seed,
    store,
    sqs,
    queueUrl,
    deadLetterUrl,
    retentionMs: RETENTION_MS,
    delay,
    observer: log.observer,
  });
  const deaths = { kind, seed, store, newId: randomUUID, leaseMs: LEASE_OF_THE_DYING_MS };
  const handler = withDeaths(work, deaths);
  for (const name of kind.workers) {
    const worker = createWorker({
      queueUrl,
      client: sqs,
      handler,
      name,
      maxInFlight: 20,
      receivers: 1,
      waitTimeSeconds: 1, // the demo stops soon after Ctrl-C
      shutdownTimeoutMs: 500,
    });
    await worker.start();
    cleanup.defer(() => worker.stop());
  }
}

/** Works again and again until `signal` is aborted. Rejects as soon as `work` does. */
async function every(ms: number, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await delay(ms, signal).catch(() => undefined);
    if (!signal.aborted) await work();
  }
}

function keyIn(body: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  for (const kind of KINDS) {
    const id = idIn(kind, parsed);
    if (id !== undefined) return keyOf(kind, id);
  }
  return undefined;
}
