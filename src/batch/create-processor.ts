import type { Context } from 'aws-lambda';
import { unstartedClaims } from '../attempts/unstarted-claims.ts';
import { createAcquireQueue } from '../claims/acquire-queue.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { SettlementQueue } from '../claims/settlement-queue.ts';
import type { SettlingAttempt } from '../attempts/scope.ts';
import type { BatchAttempt, Settings } from './context.ts';
import type { Processor } from './open-context.ts';
import type { Ports } from './ports.ts';
import type { Handler } from './run.ts';
import { type Answer, runBatch } from './run-batch.ts';
import { endingOfRecord } from './settle.ts';

/** Creates the function that processes events, with the state that its invocations share. */
export function createProcessor(
  handler: Handler,
  settings: Settings,
  ports: Ports,
  functionName: string | undefined,
  /** The store as the user gave it. Processors that share a store are recognised by it. */
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
    settlements: new SettlementQueue<SettlingAttempt>({
      store,
      clock,
      random,
      lingerMs,
      recordIdOf,
      // A returned handler has done its effect: retry the completion until the lease ends.
      triedUntil: ({ end, leaseUntil }) => (end?.kind === 'returned' ? leaseUntil : 0),
    }),
    unstarted: unstartedClaims(store),
    endingOf: endingOfRecord(retryable, store.maxResultBytes),
  };
  return (event, lambda) => runBatch(event, lambda, processor);
}
