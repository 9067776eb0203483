import type { RedriveOptions, RedriveResult } from 'batchlatch/operations';

/**
 * Returns the ids of the messages that a plan has shown, so that its redrive takes none that came later. What
 * the plan could not list, and ids that a person named, are redriven as they were asked for.
 */
export function plannedMessages<Which extends RedriveOptions['which']>(
  which: Which,
  { messages, moved, deleted, left, notSeen }: RedriveResult,
): Which | readonly string[] {
  const isListed = messages.length > 0 && messages.length === moved + deleted + left && notSeen === 0;
  return isListed && !Array.isArray(which) ? messages.map(({ messageId }) => messageId) : which;
}
