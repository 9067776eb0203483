import { createBatchProcessor, decoder, type BatchRecord } from 'batchlatch';

/**
 * A function that one kind of message ends before it has a key: READ_BY says where. What ran is seen in the claims.
 */
function endOn(text: unknown): void {
  if (String(text).includes('deadly')) process.exit(1);
}

const kinds = {
  key: {
    key: ({ id, rawBody }: BatchRecord) => {
      endOn(rawBody);
      return id;
    },
  },
  decode: {
    decode: decoder((data) => {
      endOn(data);
      return data;
    }),
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
  // Shorter than the queue's visibility timeout, as it is with six times the function's timeout.
  leaseMs: 500,
});
