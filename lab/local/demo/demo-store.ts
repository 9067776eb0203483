import { fileURLToPath } from 'node:url';
import type { Claim } from 'batchlatch';
import type { ClaimAdmin } from 'batchlatch/operations';
import type { ClaimState } from 'batchlatch/operations';
import type { DisposeStack } from '../../../packages/cli/src/dev/emulators/dispose-stack.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Places } from '../../../packages/cli/src/dev/places.ts';
import type { DevFunction, DevTable } from '../../../packages/cli/src/dev/stack.ts';
import type { OrderMessage } from './order-messages.ts';
import type { OrdersStack } from './orders-stack.ts';

/** Where the demo can keep claims and charges. */
export type StoreName = 'dynamodb' | 'postgres' | 'redis';

/** A store with the function that works on it. */
export interface DemoStore {
  /** For the lines at the top: `DynamoDB`. */
  readonly label: string;
  /** What it is; asked once the stack's services run. */
  describe(services: readonly LocalService[]): Promise<string>;
  /** By how much longer the times have to be than elsewhere. Default 1. */
  readonly slowness?: number;
  /** The template's function, or one in its place. */
  readonly fn: DevFunction;
  /** The tables of the template that are to be made. */
  readonly tables: readonly DevTable[];
  /** The claims, for the console. */
  readonly claims: ClaimAdmin;
  /** Where they are: `table claims`. */
  readonly place: string;
  /** States that it finds by an index. */
  readonly indexedStates: readonly ClaimState[];
  readClaims(): Promise<readonly Claim[]>;
  /** Those that are in progress, at least. */
  readRunningClaims(): Promise<readonly Claim[]>;
  /** The order of every charge that was made; an order that was charged twice is there twice. */
  readChargedOrders(): Promise<string[]>;
  /** Requests for claims that reached it; undefined where they are encrypted. */
  claimRequests(): number | undefined;
}

/** What a store is made for, and what goes wrong in it. */
export interface DemoStoreSetup {
  readonly orders: OrdersStack;
  readonly places: Places;
  readonly messages: readonly OrderMessage[];
  readonly cleanup: DisposeStack;
  readonly trouble: Trouble;
  /** Whether the run is over, and nothing is declined any more. */
  readonly isOver: () => boolean;
}

/** What happens to the process that charges an order. `gone` is aborted when that process is. */
export interface Trouble {
  /** Resolves when the other claims of the process are settled; at once where the process runs none. */
  untilOthersAreSettled(orderId: string, gone: AbortSignal): Promise<void>;
  /** Ends the process, says so, and resolves when it is gone. False: nobody waits for the answer any more, and nothing is ended. */
  kill(orderId: string, when: string, gone: AbortSignal): Promise<boolean>;
  /** Whether two orders are in the hands of one process at the moment. */
  areTogether(orderId: string, other: string): boolean;
}

/** The template's function with the code and the variables of another: of a module in `functions/`. */
export function functionOfDemo(
  fn: DevFunction,
  entry: string,
  environment: Readonly<Record<string, string>>,
): DevFunction {
  return { ...fn, folder: fileURLToPath(new URL('./functions', import.meta.url)), entry, environment };
}
