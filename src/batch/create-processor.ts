import type { Context } from 'aws-lambda';
import { unstartedClaims } from '../attempts/unstarted-claims.ts';
import { createAcquireQueue } from '../claims/acquire-queue.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { createSettlementQueue } from '../claims/settlement-queue.ts';
import type { SettlingAttempt } from '../attempts/scope.ts';
import type { BatchAttempt, Settings } from './context.ts';
import type { Processor } from './open-context.ts';
import type { Ports } from './ports.ts';
import type { Handler } from './run.ts';
import { type Answer, runBatch } from './run-batch.ts';
import { endingOfRecord } from './settle.ts';

/** Makes the function that processes events. What its invocations share is made here, once. */
export function createProcessor(
  handler: Handler,
  settings: Settings,
  ports: Ports,
  functionName: string | undefined,
  /** The store as it was given, by which processors that share one are known. */
  givenStore: ClaimStore = ports.store,
): (event: unknown, lambda?: Context) => Promise<Answer> {
  const { store, clock, random } = ports;
  const { settleLingerMs: lingerMs, retryable } = settings;
  const recordIdOf = ({ recordId }: { readonly recordId: string }): string => recordId;
  const processor: Processor = {
    handler,
    settings,
    ports,
    functionName,
    givenStore,
    acquires: createAcquireQueue<BatchAttempt>({ store, clock, lingerMs, recordIdOf }),
    settlements: createSettlementQueue<SettlingAttempt>({
      store,
      clock,
      random,
      lingerMs,
      recordIdOf,
      // The effect is done.
      triedUntil: ({ end, leaseUntil }) => (end?.kind === 'returned' ? leaseUntil : 0),
    }),
    unstarted: unstartedClaims(store),
    endingOf: endingOfRecord(retryable, store.maxResultBytes),
  };
  return (event, lambda) => runBatch(event, lambda, processor);
}
