import { isDeepStrictEqual } from 'node:util';
import type { ClaimStore } from '../../../src/claims/claim-store.ts';
import { answerOf } from '../decisions.ts';
import { requestsIn, rowOf, type Wording } from '../requests.ts';
import {
  ABSENT,
  type Answer,
  attemptOf,
  clockOf,
  type End,
  type Instance,
  only,
  personOf,
  type Row,
  rowIn,
  type State,
} from '../state.ts';
import type { ReplayedStore } from './replayed-store.ts';

/** Where the code and a trace part. */
interface Divergence {
  readonly step: number;
  readonly what: 'answer' | 'row' | 'effects';
  readonly expected: unknown;
  readonly actual: unknown;
}

/** What the code did, as states of the model: the trace's, with what the store answered and held. */
export interface Replayed {
  readonly divergence: Divergence | undefined;
  readonly states: readonly State[];
}

/** A minute is more than a replay takes, so that no server deletes a row by its own clock; TTLs are whole seconds. */
export const TICK_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

/**
 * Takes a store through a trace: each request that reaches the store in the trace is made, by the clock of who asks there.
 * Answers, rows and effects are compared after every step.
 */
export async function replay(
  trace: readonly State[],
  { keys, owners }: Instance,
  replayed: ReplayedStore,
  keyPrefix: string,
): Promise<Replayed> {
  const wording: Wording = { tickMs: TICK_MS, startMs: START_MS, keyPrefix };
  const requests = requestsIn(wording);
  const { store, admin } = replayed;
  const states: State[] = trace.slice(0, 1);
  /** As they were read last: after each step that the store or its database has part in. */
  const rows: Record<string, Row> = { ...trace[0]?.rows };
  let effects: readonly string[] = [];

  for (const [step, state] of trace.entries()) {
    const before = trace[step - 1];
    if (before === undefined) continue;
    const { name, actor, key, fate } = state.last;
    const isSent = fate === 'heard' || fate === 'unheard';
    replayed.setTime(START_MS + clockOf(before, actor) * TICK_MS);
    const answer = isSent ? await send(state, before) : only('');
    if (name === 'delete') await replayed.remove(keyPrefix + key);

    const hasEffects = replayed.commit !== undefined;
    if (isSent || name === 'delete') for (const one of keys) rows[one] = await rowOfKey(one);
    if (hasEffects && name === 'commit') effects = await effectsNow();
    const after = rows[key] ?? ABSENT;
    states.push({
      ...state,
      rows: { ...rows },
      effects,
      last: { ...state.last, answer, ...(isSent && { after }) },
    });

    const differs = (what: Divergence['what'], expected: unknown, actual: unknown): Divergence | undefined =>
      isDeepStrictEqual(expected, actual) ? undefined : { step, what, expected, actual };
    const divergence =
      differs('answer', state.last.answer, answer) ??
      differs('row', state.rows, rows) ??
      (hasEffects ? differs('effects', state.effects, effects) : undefined);
    if (divergence !== undefined) return { divergence, states };
  }
  return { divergence: undefined, states };

  async function rowOfKey(key: string): Promise<Row> {
    const claim = await replayed.rowOf(keyPrefix + key);
    return claim === undefined ? ABSENT : withoutPrefix(rowOf(claim, wording));
  }

  /** Owners are tokens, which no two traces share. */
  function withoutPrefix(row: Row): Row {
    return { ...row, owner: row.owner.slice(keyPrefix.length) };
  }

  async function effectsNow(): Promise<string[]> {
    const written = await replayed.effectsOf(owners.map(token));
    return written.map((owner) => owner.slice(keyPrefix.length)).toSorted();
  }

  function token(owner: string): string {
    return keyPrefix + owner;
  }

  async function send(state: State, before: State): Promise<Answer> {
    const { name, actor, key, how, ticks } = state.last;
    const owner = token(actor);
    const [mine, asked] = [attemptOf(before, actor), attemptOf(state, actor)];
    switch (name) {
      case 'acquire': {
        // What it asked for is in the state after it, and is forgotten by nobody.
        const [outcome] = await store.acquire([requests.acquire(owner, asked)]);
        if (outcome === undefined) throw new Error('No answer to an acquire');
        return answerOf(outcome, wording);
      }
      case 'start':
        return answerOfChange(await (store as Required<ClaimStore>).start([{ key: keyPrefix + key, owner }]));
      case 'extend':
        return answerOfChange(await store.extend([requests.extension(owner, key, ticks)]));
      case 'settle': {
        const releases = mine.phase === 'asking' ? rowIn(before, key).releases : mine.releases;
        return answerOfChange(await store.settle([requests.settlement(owner, key, how as End, releases)]));
      }
      case 'commit': {
        const completion = requests.settlement(owner, key, 'complete', 0);
        if (completion.end !== 'complete') throw new Error('No completion');
        if (replayed.commit === undefined) return answerOfChange(await store.settle([completion]));
        const outcome = await replayed.commit(completion);
        return answerOfChange([typeof outcome === 'string' ? outcome : { error: errorOf(outcome) }]);
      }
      case 'operate': {
        const seen = personOf(before, actor);
        const person = personOf(state, actor);
        const operation = requests.operation(owner, { ...person, owner: token(seen.owner) });
        const [outcome] = await admin.change([operation]);
        if (outcome === undefined) throw new Error('No answer to a change');
        return answerOf(outcome);
      }
      case 'init':
      case 'startUnmarked':
      case 'die':
      case 'look':
      case 'pass':
      case 'delete':
        throw new Error(`The store hears nothing of ${name}`);
    }
  }
}

function answerOfChange([outcome]: readonly ('stored' | 'lost' | { readonly error: Error })[]): Answer {
  if (outcome === undefined) throw new Error('No answer');
  if (typeof outcome === 'object') throw outcome.error;
  return only(outcome);
}

function errorOf(outcome: { readonly refused: Error } | { readonly error: Error }): Error {
  return 'error' in outcome ? outcome.error : outcome.refused;
}
