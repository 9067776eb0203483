import type { StoreEvent } from '../../simulation/stores/store-history.ts';
import { acquiring, answerOf, type Decision, decideOn, ending, extending, starting } from '../decisions.ts';
import { rowOf } from '../requests.ts';
import { ABSENT, type Answer, type End, isSameRow, only, type Row } from '../state.ts';
import { type AttemptStates, afterEvent, FRESH } from './attempt-states.ts';

/** Why a history is none of the model's, and at which of its events. */
export interface Refusal {
  readonly event: number;
  readonly why: string;
}

/**
 * Accepts histories of stores that are histories of the model too: each request is one that its attempt can make in the model
 * after what it made before, and the store wrote and answered what the code decides of it.
 */
export class Acceptor {
  readonly #tolerance: number;
  readonly #rows = new Map<string, Row>();
  readonly #attempts = new Map<string, AttemptStates>();
  #events = 0;
  refusal: Refusal | undefined;

  constructor(tolerance: number) {
    this.#tolerance = tolerance;
  }

  get events(): number {
    return this.#events;
  }

  take(event: StoreEvent): void {
    if (this.refusal !== undefined) return;
    const why = this.#whyNot(event);
    if (why !== undefined) this.refusal = { event: this.#events, why };
    this.#events += 1;
  }

  #whyNot(event: StoreEvent): string | undefined {
    const { key, owner } = event.item;
    const before = this.#rows.get(key) ?? ABSENT;
    const { row, answer } = this.#decide(event, before);
    const actual = event.row === undefined ? ABSENT : rowOf(event.row);
    const told = toldBy(event);
    this.#rows.set(key, actual);
    if (told === undefined) return `the store failed: ${JSON.stringify(event)}`;
    // Of a refused commit and of a failed one nothing is written; the model has neither.
    if (told !== 'nothing' && JSON.stringify(told) !== JSON.stringify({ ...told, ...answer })) {
      return `${event.operation} of ${owner} was answered ${JSON.stringify(told)} and not ${JSON.stringify(answer)}`;
    }
    const expected = told === 'nothing' ? before : row;
    if (!isSameRow(expected, actual)) {
      return `${event.operation} of ${owner} left ${JSON.stringify(actual)} and not ${JSON.stringify(expected)}`;
    }
    const states = this.#attempts.get(owner) ?? FRESH;
    const next = afterEvent(states, event, before);
    this.#attempts.set(owner, next);
    if (next.size === 0) return `${nameOf(event)} of ${owner} cannot come after ${[...states].join(' or ')}`;
    return undefined;
  }

  #decide(event: StoreEvent, before: Row): Decision {
    const { at } = event;
    return decideOn(before, event.item.key, (stored) => {
      switch (event.operation) {
        case 'acquire':
          return acquiring(stored, event.item, at, this.#tolerance);
        case 'start':
          return starting(stored, event.item, at);
        case 'extend':
          return extending(stored, event.item, at);
        case 'settle':
        case 'commit':
          return ending(stored, event.item, at);
      }
    });
  }
}

function nameOf(event: StoreEvent): End | StoreEvent['operation'] {
  return event.operation === 'settle' ? event.item.end : event.operation;
}

/** `nothing`: the store refused, and says that it wrote nothing. */
function toldBy(event: StoreEvent): Answer | 'nothing' | undefined {
  const { operation, outcome } = event;
  if (operation === 'acquire') return outcome.status === 'error' ? undefined : answerOf(outcome);
  return typeof outcome === 'string' ? only(outcome) : 'nothing';
}
