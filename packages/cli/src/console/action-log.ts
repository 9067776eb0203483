import type { SeenClaim } from 'batchlatch/operations';
import type { SeenRow } from '../outbox-rows/change-rows.ts';
import type { ActionJson, EventJson } from './api.ts';

/** An action on a key that the key's row does not record. */
export interface UnrecordedAction {
  readonly key: string;
  readonly event: EventJson;
}

/** The log of the actions of people. */
export interface ActionLog {
  /** Returns the latest actions, newest first. */
  recent(): Promise<readonly ActionJson[]>;
  /** Returns the actions on a key that its row does not record, oldest first. */
  eventsOf(key: string): Promise<readonly EventJson[]>;
  /** Resolves to whether a plan is carried out for the first time: a message sent again would run again. */
  isFirst(plan: string): Promise<boolean>;
  /** Records an action and what was seen, before a change. If this rejects, nothing may be changed. */
  begin(action: ActionJson, seen?: readonly (SeenClaim | SeenRow)[]): Promise<void>;
  /** Records how an action ended, and what the rows of its keys do not record. Never rejects. */
  end(action: ActionJson, unrecorded?: readonly UnrecordedAction[]): Promise<void>;
}

const MOST_KEPT = 1_000;

/** The actions of one run of the console, in memory. Each claim's own history is in its row. */
export class ActionsInMemory implements ActionLog {
  readonly #tell: (action: ActionJson) => void;
  #actions: readonly ActionJson[] = [];

  constructor(tell: (action: ActionJson) => void) {
    this.#tell = tell;
  }

  async recent(): Promise<readonly ActionJson[]> {
    return this.#actions;
  }

  async eventsOf(): Promise<readonly EventJson[]> {
    return [];
  }

  /** The plans of such a console are in memory, and are dropped when they are carried out. */
  async isFirst(): Promise<boolean> {
    return true;
  }

  async begin(action: ActionJson): Promise<void> {
    this.#actions = [action, ...this.#actions].slice(0, MOST_KEPT);
    this.#tell(action);
  }

  async end(action: ActionJson): Promise<void> {
    this.#actions = this.#actions.map((known) => (known.job === action.job ? action : known));
    this.#tell(action);
  }
}
