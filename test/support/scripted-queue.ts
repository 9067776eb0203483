import { randomUUID } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { StopSignal } from '../../src/base/stop.ts';
import type { MessageQueue, ReceivedMessage, VisibilityOf } from '../../src/worker/sqs-queue.ts';

/** A queue by a clock that tests move, which fails when it is told to. */
export interface ScriptedQueue extends MessageQueue {
  send(body: unknown, options?: { readonly group?: string; readonly messageId?: string }): string;
  /** What was asked, in order. */
  readonly asked: readonly string[];
  /** Each change of visibility, with when it was made. */
  readonly changes: readonly (VisibilityOf & { readonly at: number })[];
  /** Ids of messages that are there, visible or not. */
  ids(): string[];
  /** How often each message was received, by its id. */
  receives(): ReadonlyMap<string, number>;
  /** Ids of messages in the dead-letter queue: they would have been received more often than `maxReceives`. */
  dead(): string[];
  /** Ids of those that somebody could receive now. */
  visible(): string[];
  /** Makes the next calls of this kind fail, as often as there are errors; `Failed` entries for single messages. */
  fail(kind: keyof MessageQueue, ...how: readonly (Error | 'each')[]): void;
  /** Makes calls of this kind wait until the returned function is called. */
  hold(kind: keyof MessageQueue): () => void;
}

interface Stored {
  readonly message: Omit<ReceivedMessage, 'receiptHandle'>;
  receiptHandle: string;
  visibleAt: number;
  receives: number;
}

const LATENCY_MS = 5;

export function scriptedQueue(
  clock: Clock,
  {
    visibilityMs = 30_000,
    fifo = false,
    maxReceives,
  }: { readonly visibilityMs?: number; readonly fifo?: boolean; readonly maxReceives?: number } = {},
): ScriptedQueue {
  let stored: Stored[] = [];
  const asked: string[] = [];
  const changes: (VisibilityOf & { at: number })[] = [];
  const failures = new Map<keyof MessageQueue, (Error | 'each')[]>();
  const holds = new Map<keyof MessageQueue, Promise<void>>();
  const receives = new Map<string, number>();
  const dead: string[] = [];
  const sent = new Set<() => void>();

  async function answer(kind: keyof MessageQueue, text: string): Promise<'each' | undefined> {
    asked.push(text);
    await holds.get(kind);
    await new Promise<void>((resolve) => clock.setTimer(resolve, LATENCY_MS));
    const failure = failures.get(kind)?.shift();
    if (failure instanceof Error) throw failure;
    return failure;
  }

  /** As SQS does it: not when its last receive has failed, but when somebody would receive it once more. */
  function bury(now: number): void {
    for (const { message, receives: count, visibleAt } of stored) {
      if (visibleAt <= now && count >= (maxReceives ?? Infinity)) dead.push(message.messageId);
    }
    stored = stored.filter(({ message }) => !dead.includes(message.messageId));
  }

  function take(most: number): Stored[] {
    const now = clock.now();
    const busy = new Set(
      fifo
        ? stored
            .filter((one) => one.visibleAt > now)
            .map(({ message }) => message.attributes['MessageGroupId'])
        : [],
    );
    const free = stored.filter(
      (one) => one.visibleAt <= now && !busy.has(one.message.attributes['MessageGroupId']),
    );
    return free.slice(0, most);
  }

  return {
    asked,
    changes,
    send(body, { group, messageId = randomUUID() } = {}) {
      stored.push({
        message: {
          messageId,
          body: JSON.stringify(body),
          md5OfBody: '',
          attributes: {
            SentTimestamp: String(clock.now()),
            ...(group !== undefined && { MessageGroupId: group }),
          },
          messageAttributes: {},
        },
        receiptHandle: '',
        visibleAt: 0,
        receives: 0,
      });
      for (const wake of sent) wake();
      return messageId;
    },
    ids: () => stored.map(({ message }) => message.messageId),
    receives: () => receives,
    dead: () => dead,
    visible: () => take(Infinity).map(({ message }) => message.messageId),
    fail: (kind, ...how) => void failures.set(kind, [...(failures.get(kind) ?? []), ...how]),
    hold(kind) {
      let release = (): void => undefined;
      holds.set(kind, new Promise((resolve) => (release = resolve)));
      return () => {
        holds.delete(kind);
        release();
      };
    },
    async facts() {
      await answer('facts', 'facts');
      return {
        arn: `arn:aws:sqs:us-east-1:000000000000:orders${fifo ? '.fifo' : ''}`,
        visibilityTimeoutMs: visibilityMs,
        ...(maxReceives !== undefined && { maxReceives }),
      };
    },
    async receive({ most, waitSeconds, visibilitySeconds }, signal) {
      await answer('receive', `receive ${most}`);
      if (take(1).length === 0) await arrival(waitSeconds * 1_000, signal);
      if (signal.aborted) throw new Error('aborted');
      bury(clock.now());
      return take(most).map((one) => {
        one.receives += 1;
        receives.set(one.message.messageId, one.receives);
        one.receiptHandle = `${one.message.messageId}/${one.receives}`;
        one.visibleAt =
          clock.now() + (visibilitySeconds === undefined ? visibilityMs : visibilitySeconds * 1_000);
        return {
          ...one.message,
          receiptHandle: one.receiptHandle,
          attributes: { ...one.message.attributes, ApproximateReceiveCount: String(one.receives) },
        };
      });
    },
    async delete(receiptHandles) {
      const failure = await answer('delete', `delete ${receiptHandles.length}`);
      if (failure === 'each')
        return receiptHandles.map(() => new Error('SQS did not delete the message: InternalError'));
      stored = stored.filter((one) => !receiptHandles.includes(one.receiptHandle));
      return receiptHandles.map(() => undefined);
    },
    async changeVisibility(wanted) {
      const failure = await answer('changeVisibility', `visibility ${wanted.length}`);
      if (failure === 'each') return wanted.map(() => new Error('ReceiptHandleIsInvalid'));
      for (const change of wanted) {
        changes.push({ ...change, at: clock.now() });
        const one = stored.find(({ receiptHandle }) => receiptHandle === change.receiptHandle);
        if (one !== undefined) one.visibleAt = clock.now() + change.seconds * 1_000;
      }
      return wanted.map(() => undefined);
    },
  };

  function arrival(ms: number, signal: StopSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        sent.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const next = Math.min(...stored.map(({ visibleAt }) => visibleAt).filter((at) => at > clock.now()));
      const cancel = clock.setTimer(done, Math.min(ms, next - clock.now()));
      sent.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
