import type { ClaimStore } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { ConfigurationError } from '../base/errors.ts';
import type { OperableStore } from '../claims/operable-store.ts';
import { isOperable } from '../claims/operated.ts';
import { withOperations } from '../operations/operable-store.ts';
import { dynamoDBStore } from '../stores/dynamodb/dynamodb-store.ts';

/** What the monitor works with. */
export interface MonitorPorts {
  readonly store: OperableStore;
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

/** The given store; without one, DynamoDB with the table of the environment: see `dynamoDBStore` for when that is needed. */
export function operableFrom(store: ClaimStore | undefined): OperableStore {
  return operable(store ?? dynamoDBStore());
}

function operable(store: ClaimStore): OperableStore {
  if (isOperable(store)) return withOperations(store);
  throw new ConfigurationError(
    'createClaimMonitor: Expected `store` to be a store that people can operate on: dynamoDBStore(), or one with list(), count() and operate()',
  );
}

/** The dimension of the metrics. */
export function tableNameFrom(given: string | undefined): string {
  return given ?? (process.env['CLAIMS_TABLE_NAME'] || 'claims');
}

/** The machine's clock and standard output, except for what the options replace. */
export function monitorPorts(
  store: OperableStore,
  { clock = systemClock, write = writeToStandardOutput }: Partial<Omit<MonitorPorts, 'store'>>,
): MonitorPorts {
  return { store, clock, write };
}

// Not console.log: where functions log JSON, Lambda would put the line into another, and CloudWatch would see no metrics.
function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}
