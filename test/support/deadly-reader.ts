import { createBatchProcessor, decoder, suspectsFirst, type BatchRecord } from 'batchlatch';

/** Functions that one kind of message ends before it has a key: READ_BY says where. What ran is seen in the claims. */
const kinds = {
  key: {
    key: ({ id, rawBody }: BatchRecord) => {
      if (rawBody.includes('deadly')) process.exit(1);
      return id;
    },
  },
  memory: {
    decode: decoder((data) => {
      if (String(data).includes('deadly')) exhaustMemory();
      return data;
    }),
  },
};

function exhaustMemory(): void {
  const kept: unknown[] = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, () => ({})));
}

export const handler = createBatchProcessor(() => 'done', {
  ...kinds[process.env['READ_BY'] as keyof typeof kinds],
  reading: suspectsFirst(),
  // Shorter than the queue's visibility timeout, as it is with six times the function's timeout.
  leaseMs: 500,
});
