import { Buffer } from 'node:buffer';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReceivedMessage } from './sqs-sdk-queue.ts';

/** Lambda's limit for an event. */
const MAX_EVENT_BYTES = 6 * 1_024 * 1_024;
/** SQS's limit for messages of one receive. */
const MOST_IN_RECEIVE = 10;
const LONGEST_WAIT_SECONDS = 20;
/** An estimate of a record's other bytes: names and punctuation. */
const RECORD_BYTES = 256;

export interface GatherOptions {
  /** Resolves to no messages, after a pause, if the queue does not answer. */
  readonly receive: (most: number, waitSeconds: number) => Promise<readonly ReceivedMessage[]>;
  /** Returns the messages that pass the filters. */
  readonly isWanted: (messages: readonly ReceivedMessage[]) => Promise<readonly ReceivedMessage[]>;
  readonly batchSize: number;
  readonly windowMs: number;
  /** Messages left over from the batch before. */
  readonly held: readonly ReceivedMessage[];
  readonly signal: AbortSignal;
}

/**
 * Gathers the messages of one invocation: those of one receive or, with a window, those until it is over, the
 * batch is full or the event has 6 MB. The window begins with the first message. The batch may be empty.
 */
export async function gatherBatch(
  options: GatherOptions,
): Promise<{ readonly batch: readonly ReceivedMessage[]; readonly rest: readonly ReceivedMessage[] }> {
  const { batchSize, windowMs, receive, isWanted, signal } = options;
  const gathered: ReceivedMessage[] = [];
  const sizes: number[] = []; // each measured once: a batch may have thousands
  const gather = (messages: readonly ReceivedMessage[]): void => {
    gathered.push(...messages);
    sizes.push(...messages.map(bytesOf));
  };
  gather(options.held);
  if (gathered.length === 0) {
    gather(await isWanted(await receive(Math.min(batchSize, MOST_IN_RECEIVE), LONGEST_WAIT_SECONDS)));
  }
  const end = performance.now() + windowMs;
  while (
    gathered.length > 0 &&
    gathered.length < batchSize &&
    !signal.aborted &&
    fits(sizes) === sizes.length
  ) {
    const leftMs = end - performance.now();
    if (leftMs <= 0) break;
    const most = Math.min(batchSize - gathered.length, MOST_IN_RECEIVE);
    const waitSeconds = Math.min(Math.floor(leftMs / 1_000), LONGEST_WAIT_SECONDS);
    const more = await receive(most, waitSeconds);
    // Receives wait whole seconds: sleep for the rest of the window.
    if (more.length === 0 && waitSeconds === 0) await pause(Math.min(leftMs, PAUSE_MS), signal);
    gather(await isWanted(more));
  }
  const count = fits(sizes);
  return { batch: gathered.slice(0, count), rest: gathered.slice(count) };
}

const PAUSE_MS = 100;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Returns how many messages of these sizes fit in an event; the first always does. */
function fits(sizes: readonly number[]): number {
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    bytes += size;
    if (bytes > MAX_EVENT_BYTES && index > 0) return index;
  }
  return sizes.length;
}

function bytesOf({ body, attributes, messageAttributes, receiptHandle }: ReceivedMessage): number {
  const parts = [
    JSON.stringify(body),
    JSON.stringify(attributes),
    JSON.stringify(messageAttributes),
    receiptHandle,
  ];
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), RECORD_BYTES);
}
