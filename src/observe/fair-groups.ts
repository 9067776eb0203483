import type { ObservedInvocation } from './observed.ts';
import type { BatchEvent } from './observer.ts';

/** How many messages are counted together; each group id is kept until then. */
const MOST_MESSAGES = 1_000;

/** The field `groups` of a batch's log line. */
export interface GroupsField {
  readonly groups: { readonly messages: number; readonly distinct: number };
}

/**
 * A counter of the message groups that a process receives from standard queues (fair queues). Ten messages of
 * ten tenants look like ten messages with a group each, so groups are counted across batches, and in the
 * process, because their ids may name tenants.
 */
export class FairGroups {
  readonly #distinct = new Set<string>();
  #messages = 0;

  /** Returns the field at the end of a batch that has message groups, and undefined otherwise. */
  fieldOf({ type }: BatchEvent, invocation: ObservedInvocation | undefined): GroupsField | undefined {
    if (type !== 'batchFinished' || invocation === undefined) return undefined;
    const { fairGroups } = invocation;
    if (fairGroups.length === 0) return undefined;
    if (this.#messages >= MOST_MESSAGES) {
      this.#distinct.clear();
      this.#messages = 0;
    }
    for (const group of fairGroups) this.#distinct.add(group);
    this.#messages += fairGroups.length;
    return { groups: { messages: this.#messages, distinct: this.#distinct.size } };
  }
}
