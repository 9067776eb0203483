import type { StopSignal } from '../../../src/base/stop.ts';
import type { ClaimStore, Settlement } from '../../../src/claims/claim-store.ts';
import type { CommitOutcome } from '../../../src/claims/commit.ts';
import { StoreError } from '../../../src/base/errors.ts';
import { CommitRefusedError } from '../../../src/stores/dynamodb/commit-errors.ts';
import type { CommitItem } from '../../../src/stores/dynamodb/commit-item.ts';
import { memoryStore } from '../../../src/stores/memory/memory-store.ts';
import { rowOfClaim } from '../invariants/claim-row.ts';
import type { ClaimWatch } from '../invariants/claim-watch.ts';
import { effectIn } from '../invariants/effect.ts';
import type { EffectWatch } from '../invariants/effect-watch.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import { Network } from './network.ts';
import { RESULT_LIMIT } from './row-limits.ts';
import type { RecordEvent, StoreEvent } from './store-history.ts';

/** A longer result has no room beside the rest of its row. */
const MOST_BESIDE_THE_REST = RESULT_LIMIT - 50;

/** The memory store at the far end of a network: the state machine itself, decided by each caller's clock. */
export class SimMemoryStore {
  readonly #world: World;
  readonly #claims: ClaimWatch;
  readonly #network: Network;
  readonly #random: Random;
  readonly #store: ClaimStore;
  readonly #effects: EffectWatch;
  readonly #record: RecordEvent;
  #clockNow = 0;
  #by: SimProcess | undefined;

  constructor(world: World, claims: ClaimWatch, effects: EffectWatch, record: RecordEvent = () => undefined) {
    this.#world = world;
    this.#claims = claims;
    this.#effects = effects;
    this.#record = record;
    this.#random = world.random.fork('memory store');
    // This store decides when a request arrives, so a late copy of an acquire would make a claim that nobody
    // knows of. DynamoDB's conditions are made before, from what was read; there a late copy is refused.
    this.#network = new Network(
      world,
      { arrivesLate: false, mostSendings: 3 },
      {
        unanswered: () => new StoreError('no answer', { isRetryable: true }),
        refused: () => new StoreError('refused', { isRetryable: true }),
        failed: () => new Error('failed on the way'), // of a kind that the library does not know
        aborted: () => new StoreError('aborted', { isRetryable: false }),
      },
    );
    this.#store = memoryStore({
      clock: { now: () => this.#clockNow },
      clockToleranceMs: world.scenario.skewMs,
      onCommit: (items: readonly CommitItem[]) => this.#write(items),
    });
  }

  /** The store as one process sees it. */
  storeOf(process: SimProcess): ClaimStore {
    return {
      maxResultBytes: RESULT_LIMIT,
      acquire: (requests, { signal } = {}) =>
        this.#exchange(process, 'acquire', requests, signal, (request) => this.#store.acquire([request])),
      settle: (settlements, { signal } = {}) =>
        this.#exchange(process, 'settle', settlements, signal, async (settlement) =>
          hasRoomFor(settlement) ? this.#store.settle([settlement]) : [{ error: rowTooLarge() }],
        ),
      extend: (extensions, { signal } = {}) =>
        this.#exchange(process, 'extend', extensions, signal, (extension) => this.#store.extend([extension])),
      start: (claims, { signal } = {}) =>
        this.#exchange(process, 'start', claims, signal, (claim) =>
          (this.#store as Required<ClaimStore>).start([claim]),
        ),
      commit: async (completion, effect, { signal } = {}) => {
        const [outcome] = await this.#exchange(process, 'commit', [completion], signal, async () => [
          (await this.#store.commit?.(completion, effect)) as CommitOutcome,
        ]);
        return outcome as CommitOutcome;
      },
      inspect: (key) => this.#store.inspect(key),
    };
  }

  #exchange<Item extends { readonly key: string }, Outcome>(
    process: SimProcess,
    operation: string,
    items: readonly Item[],
    signal: StopSignal | undefined,
    call: (item: Item) => Promise<Outcome[]>,
  ): Promise<(Outcome | Troubled)[]> {
    return this.#network.exchange<Outcome | Troubled, (Outcome | Troubled)[]>(
      process,
      {
        name: `${operation} ${items.map(({ key }) => key).join(', ')}`,
        items: items.length,
        apply: (index) => this.#apply(operation, items[index] as Item, process, call),
        answer: (results) => results,
      },
      signal,
    );
  }

  /** The effects of a handler, or why they cannot be. */
  #write(items: readonly CommitItem[]): CommitRefusedError | undefined {
    const reasons = items.flatMap(({ ConditionCheck }, index) =>
      ConditionCheck === undefined || this.#random.chance(0.5)
        ? []
        : [{ index, code: 'ConditionalCheckFailed' }],
    );
    if (reasons.length > 0) return new CommitRefusedError(reasons);
    this.#effects.written(effectIn(items), this.#by as SimProcess);
    return undefined;
  }

  /** The memory store decides and writes within the call; what it returns are only the news of that. */
  async #apply<Item extends { readonly key: string }, Outcome>(
    operation: string,
    item: Item,
    process: SimProcess,
    call: (item: Item) => Promise<Outcome[]>,
  ): Promise<Outcome | Troubled> {
    const isTroubled = !this.#world.isCalm && this.#random.chance(this.#world.scenario.faults.itemRefused);
    if (isTroubled) {
      this.#world.count('items refused');
      if (this.#random.chance(0.5)) return troubled();
    }
    const at = process.now();
    this.#clockNow = at;
    this.#by = process;
    const calling = call(item);
    this.#clockNow = 0; // at which no retention is over: the row as it is stored
    const reading = this.#store.inspect(item.key);
    const [outcome] = await calling;
    const claim = await reading;
    this.#claims.rowIs(item.key, claim && rowOfClaim(claim), process);
    this.#record({ operation, item, at, outcome, row: claim } as unknown as StoreEvent);
    return isTroubled ? troubled() : (outcome as Outcome);
  }
}

function hasRoomFor(settlement: Settlement): boolean {
  return settlement.end !== 'complete' || (settlement.result ?? '').length <= MOST_BESIDE_THE_REST;
}

function rowTooLarge(): StoreError {
  return new StoreError('the row would be too large', {
    isRetryable: false,
    code: 'BATCHLATCH_ITEM_TOO_LARGE',
  });
}

/** An outcome of `acquire` and of `settle` alike. */
interface Troubled {
  readonly status: 'error';
  readonly error: Error;
}

function troubled(): Troubled {
  return { status: 'error', error: new StoreError('in trouble', { isRetryable: true }) };
}
