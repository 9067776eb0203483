import { peekDeadLetters } from 'batchlatch/operations';
import * as z from 'zod';
import { hasError } from '../dead-letters/list-dead-letters.ts';
import { messageJson } from '../dead-letters/message-json.ts';
import type { Toolbox } from './toolbox.ts';

/** The arguments that select dead letters by their error. */
export const BY_ERROR = {
  errorName: z.string().min(1).optional().describe('Only messages that failed with an error of this name'),
  errorCode: z.string().min(1).optional().describe('Only messages that failed with an error of this code'),
};

/** Adds the tool that lists dead letters, if the command names their queue. */
export function addDeadLetterTools({ add, letters, context }: Toolbox): void {
  if (letters === undefined) return;
  add({
    name: 'list_dead_letters',
    description:
      'Lists messages of the dead-letter queue with their errors and claims, without their bodies. They ' +
      'are received, which hides them from others until the last is read, and are then shown again.',
    input: { limit: z.int().min(1).max(200).default(10), ...BY_ERROR },
    async answer({ limit, errorName, errorCode }, signal) {
      const { messages, isWhole, total } = await peekDeadLetters(letters.sqs, {
        ...letters.common,
        signal,
        limit,
      });
      const shown = messages.filter((message) => hasError(message, { errorName, errorCode }));
      return { messages: shown.map((message) => messageJson(message, context.now())), isWhole, total };
    },
  });
}
