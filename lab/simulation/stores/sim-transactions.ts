import { isDeepStrictEqual } from 'node:util';
import type { TransactWriteItem, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import type { Effect } from '../invariants/effect.ts';
import type { EffectWatch } from '../invariants/effect-watch.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import { updateOf } from './item-expressions.ts';
import type { SimDynamoDBTable } from './sim-dynamodb-table.ts';

/** What DynamoDB answers to a transaction: done, an exception, or the reasons of each entry. */
export type Transacted =
  | { readonly status: 'done' }
  | { readonly status: 'failed'; readonly name: string }
  | { readonly status: 'cancelled'; readonly codes: readonly string[] };

/** For how long DynamoDB knows a token again. */
const TOKEN_MS = 600_000;
/** How soon a token's second sending may still meet its first at work. */
const AT_WORK_MS = 5;

/** `TransactWriteItems` of a claim and of a handler's effects: all of it in one step, or nothing. */
export class SimTransactions {
  readonly #world: World;
  readonly #table: SimDynamoDBTable;
  readonly #effects: EffectWatch;
  readonly #random: Random;
  readonly #tokens = new Map<string, { readonly at: number; readonly items: unknown }>();

  constructor(world: World, table: SimDynamoDBTable, effects: EffectWatch) {
    this.#world = world;
    this.#table = table;
    this.#effects = effects;
    // Of its own, so that runs without commits stay what they were.
    this.#random = world.unrelatedRandom('transactions');
  }

  apply(
    { TransactItems, ClientRequestToken: token }: TransactWriteItemsCommandInput,
    by: SimProcess,
  ): Transacted {
    const [claim, ...items] = TransactItems ?? [];
    if (claim?.Update === undefined || items.length < 1 || items.length > 99 || token === undefined) {
      return { status: 'failed', name: 'ValidationException' };
    }
    const known = this.#tokens.get(token);
    if (known !== undefined && this.#world.now - known.at < TOKEN_MS) {
      if (!isDeepStrictEqual(known.items, TransactItems)) {
        return { status: 'failed', name: 'IdempotentParameterMismatchException' };
      }
      const isAtWork = this.#world.now - known.at < AT_WORK_MS;
      return isAtWork ? { status: 'failed', name: 'TransactionInProgressException' } : { status: 'done' };
    }
    const trouble = this.#drawTrouble(items.length);
    if (trouble !== undefined && trouble.status !== 'done') return trouble;

    const update = updateOf(claim.Update);
    const codes = [
      this.#table.isMet(update) ? 'None' : 'ConditionalCheckFailed',
      // A condition of the handler's own holds at times.
      ...items.map(({ ConditionCheck }) =>
        ConditionCheck === undefined || this.#random.chance(0.5) ? 'None' : 'ConditionalCheckFailed',
      ),
    ];
    if (codes.some((code) => code !== 'None')) return { status: 'cancelled', codes };
    this.#effects.written(effectOf(items), by);
    this.#table.write(update, by);
    this.#tokens.set(token, { at: this.#world.now, items: TransactItems });
    // Done all the same: the server failed after it had written.
    return trouble === undefined ? { status: 'done' } : { status: 'failed', name: 'InternalServerError' };
  }

  #drawTrouble(items: number): Transacted | undefined {
    if (this.#world.isCalm || !this.#random.chance(this.#world.scenario.faults.itemRefused)) return undefined;
    this.#world.count('transactions in trouble');
    const passing = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];
    const codes = Array.from({ length: items + 1 }, () =>
      this.#random.chance(0.5) ? 'None' : this.#random.pick(passing),
    );
    return this.#random.pick<Transacted>([
      { status: 'cancelled', codes: codes.every((code) => code === 'None') ? [passing[0] as string] : codes },
      { status: 'failed', name: 'ThrottlingException' },
      { status: 'failed', name: 'InternalServerError' },
      { status: 'done' },
    ]);
  }
}

function effectOf(items: readonly TransactWriteItem[]): Effect {
  const { key, owner, nth } = items.find(({ Put }) => Put !== undefined)?.Put?.Item ?? {};
  if (key?.S === undefined || owner?.S === undefined) {
    throw new Error('Cannot read the effect of a transaction');
  }
  return { key: key.S, owner: owner.S, nth: Number(nth?.N) };
}
