import type { ActionJson } from './api.ts';

const MOST_KEPT = 1_000;

/** What was done by this console, newest first. Each claim's own history is in its row. */
export class ActionLog {
  readonly #tell: (action: ActionJson) => void;
  #actions: readonly ActionJson[] = [];

  constructor(tell: (action: ActionJson) => void) {
    this.#tell = tell;
  }

  /** The newest first. */
  all(): readonly ActionJson[] {
    return this.#actions;
  }

  /** Adds one; one of the same job takes the place of what was known of it. */
  put(action: ActionJson): void {
    const isKnown = this.#actions.some(({ job }) => job === action.job);
    this.#actions = isKnown
      ? this.#actions.map((known) => (known.job === action.job ? action : known))
      : [action, ...this.#actions].slice(0, MOST_KEPT);
    this.#tell(action);
  }
}
