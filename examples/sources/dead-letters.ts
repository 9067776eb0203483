import { SQS } from '@aws-sdk/client-sqs';
import { deadLetterQueue } from 'batchlatch';

/** The options that send what failed for good to the queue that DEAD_LETTERS_URL names; none where it names no queue. */
export function deadLetters(): { sqs?: SQS; deadLetter?: ReturnType<typeof deadLetterQueue> } {
  const url = process.env['DEAD_LETTERS_URL'] ?? '';
  return url === '' ? {} : { sqs: new SQS({}), deadLetter: deadLetterQueue({ url }) };
}
