import type { Machine } from './harness/machine.ts';
import type { CapacityFigures } from './sections/capacity.ts';
import type { Cell } from './sections/cells.ts';
import type { ColdStartFigures } from './sections/cold-start.ts';
import type { LambdaStartFigures } from './sections/lambda-start.ts';
import type { MemoryFigures } from './sections/memory.ts';
import type { HashFigures } from './sections/micro.ts';
import type { ProfileFigures } from './sections/profiles.ts';
import type { QueueCell } from './sections/queue-worker.ts';
import type { SenderCell } from './sections/senders.ts';
import type { SizeFigures } from './sections/sizes.ts';
import type { StoresFigures } from './sections/stores.ts';
import type { TableKeysFigures } from './sections/table-keys.ts';

/** Everything one run measured; what `--json` prints and the results page is made of. */
export interface Figures {
  readonly machine: Machine;
  readonly isQuick: boolean;
  readonly durationSeconds: number;
  readonly comparison: readonly Cell[];
  readonly capacity: readonly CapacityFigures[];
  /** With TLS between client and emulator. */
  readonly overTls: readonly Cell[];
  readonly variants: readonly Cell[];
  readonly memoryStore: readonly Cell[];
  /** A processor with and without routes. */
  readonly routes: readonly Cell[];
  readonly hashes: readonly HashFigures[];
  readonly memory: readonly MemoryFigures[];
  readonly coldStart: readonly ColdStartFigures[];
  /** Empty where Lambda's runtime client is not installed. */
  readonly lambdaStart: readonly LambdaStartFigures[];
  readonly sizes: readonly SizeFigures[];
  readonly tableKeys: readonly TableKeysFigures[];
  readonly profiles: readonly ProfileFigures[];
  readonly stores: StoresFigures;
  /** Workers of a queue. */
  readonly queueWorker: readonly QueueCell[];
  /** Senders of messages. */
  readonly senders: readonly SenderCell[];
}
