import { createBatchProcessor, payloadHash, PermanentError } from 'batchlatch';
import { commit } from 'batchlatch/dynamodb';
import { postingsOf, rejectionOf } from './postings.ts';
import type { Transfer } from './transfer.ts';

const ledger = process.env['LEDGER_TABLE_NAME'] ?? 'ledger';

/**
 * Books the transfers of an SQS batch, each exactly once: its postings and the completion of its claim are one
 * transaction. A process that dies has booked a transfer and completed it, or neither.
 */
export const handler = createBatchProcessor<Transfer>(
  async ({ body: transfer }, context) => {
    const { amountCents, from, to } = transfer;
    if (!Number.isSafeInteger(amountCents) || amountCents <= 0 || from === to) {
      throw new PermanentError('Expected a positive integer of cents between two accounts');
    }
    try {
      await commit(context, postingsOf(transfer, ledger), { result: { status: 'booked' } });
    } catch (error) {
      if (!isRefused(error)) throw error;
      // No such account, or too little on it. Nothing is written, and the claim is still ours.
      await commit(context, rejectionOf(transfer, ledger), { result: { status: 'rejected' } });
    }
  },
  { key: payloadHash({ include: ['transferId'] }) },
);

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BATCHLATCH_COMMIT_REFUSED';
}
