import { type Clock, wait } from '../../../src/base/clock.ts';
import type { StopSignal } from '../../../src/base/stop.ts';
import type { MessageQueue, ReceivedMessage } from '../../../src/worker/sqs-queue.ts';

/** A standard queue in this process, which counts what SQS would charge. */
export interface CountedQueue extends MessageQueue {
  /** Sends a message after so many milliseconds. */
  send(messageId: string, afterMs: number): void;
  readonly requests: number;
  readonly deliveries: number;
  /** Messages that were sent and are not deleted. */
  readonly left: number;
}

interface Stored {
  readonly messageId: string;
  receives: number;
  visibleAt: number;
}

const VISIBILITY_MS = 30_000;

export function countedQueue(clock: Clock, latencyMs: number): CountedQueue {
  const stored = new Map<string, Stored>();
  const counted = { requests: 0, deliveries: 0, handles: 0 };
  const visible: Stored[] = [];
  const waiting = new Set<() => void>();

  function showAt(one: Stored, at: number): void {
    one.visibleAt = at;
    clock.setTimer(() => {
      if (one.visibleAt !== at || !stored.has(handleOf(one))) return;
      visible.push(one);
      for (const wake of waiting) wake();
    }, at - clock.now());
  }

  function take(most: number, hiddenMs: number): ReceivedMessage[] {
    return visible.splice(0, most).map((one) => {
      stored.delete(handleOf(one));
      one.receives += 1;
      stored.set(handleOf(one), one);
      counted.deliveries += 1;
      showAt(one, clock.now() + hiddenMs);
      return received(one, clock.now());
    });
  }

  async function asked(): Promise<void> {
    counted.requests += 1;
    await wait(clock, latencyMs);
  }

  return {
    get requests() {
      return counted.requests;
    },
    get deliveries() {
      return counted.deliveries;
    },
    get left() {
      return stored.size;
    },
    send(messageId, afterMs) {
      const one: Stored = { messageId, receives: 0, visibleAt: 0 };
      counted.handles += 1;
      stored.set(handleOf(one), one);
      showAt(one, clock.now() + afterMs);
    },
    facts: async () => ({
      arn: 'arn:aws:sqs:us-east-1:000000000000:orders',
      visibilityTimeoutMs: VISIBILITY_MS,
    }),
    async receive({ most, waitSeconds, visibilitySeconds }, signal) {
      await asked();
      const until = clock.now() + waitSeconds * 1_000;
      // Another receive may have taken what has arrived.
      while (visible.length === 0 && clock.now() < until && !signal.aborted) {
        await arrival(until - clock.now(), signal);
      }
      if (signal.aborted) throw new Error('aborted');
      return take(most, visibilitySeconds === undefined ? VISIBILITY_MS : visibilitySeconds * 1_000);
    },
    async delete(receiptHandles) {
      await asked();
      for (const handle of receiptHandles) stored.delete(handle);
      return receiptHandles.map(() => undefined);
    },
    async changeVisibility(changes) {
      await asked();
      for (const { receiptHandle, seconds } of changes) {
        const one = stored.get(receiptHandle);
        if (one !== undefined) showAt(one, clock.now() + seconds * 1_000);
      }
      return changes.map(() => undefined);
    },
  };

  function arrival(ms: number, signal: StopSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = clock.setTimer(done, ms);
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

function handleOf({ messageId, receives }: Stored): string {
  return `${messageId}/${receives}`;
}

function received(one: Stored, now: number): ReceivedMessage {
  return {
    messageId: one.messageId,
    receiptHandle: handleOf(one),
    body: '{}',
    md5OfBody: '',
    attributes: { SentTimestamp: String(now), ApproximateReceiveCount: String(one.receives) },
    messageAttributes: {},
  };
}
