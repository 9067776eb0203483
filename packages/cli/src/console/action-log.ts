import type { ActionJson } from './api.ts';

const MOST_KEPT = 1_000;

/** The log of this console's actions. Each claim's own history is in its row. */
export class ActionLog {
  readonly #tell: (action: ActionJson) => void;
  #actions: readonly ActionJson[] = [];

  constructor(tell: (action: ActionJson) => void) {
    this.#tell = tell;
  }

  /** Returns the actions, newest first. */
  all(): readonly ActionJson[] {
    return this.#actions;
  }

  /** Adds an action, or replaces the one of the same job. */
  put(action: ActionJson): void {
    const isKnown = this.#actions.some(({ job }) => job === action.job);
    this.#actions = isKnown
      ? this.#actions.map((known) => (known.job === action.job ? action : known))
      : [action, ...this.#actions].slice(0, MOST_KEPT);
    this.#tell(action);
  }
}
