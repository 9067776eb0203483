import { describe, expect, it } from '@jest/globals';
import { commit } from 'batchlatch/dynamodb';
import { type CallContext, withIdempotencyContext } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { inTransaction } from 'batchlatch/postgres';

interface Client {
  readonly insert: (id: string) => void;
}

/** A function whose effect is written in a transaction of a test, and what is in the database. */
function bench(run: (context: CallContext, id: string) => Promise<unknown>) {
  const effects: string[] = [];
  const committed: unknown[] = [];
  const client: Client = { insert: (id) => void effects.push(id) };
  const store = memoryStore({ transactionClient: client, onCommit: (given) => void committed.push(given) });
  const once = withIdempotencyContext((context) => async (id: string) => run(context, id), {
    store,
    namespace: 'f',
    key: (id) => id,
  });
  const settle = store.settle;
  return { once, effects, committed, store, settle };
}

describe('a function that commits its effect with its completion', () => {
  it('gives what was committed to its first caller and to later ones, whatever it returns', async () => {
    const b = bench(async (context, id) => {
      await inTransaction(context, async (client: Client) => {
        client.insert(id);
        return { charge: id };
      });
      return 'something else';
    });
    expect(await b.once('a')).toEqual({ charge: 'a' });
    expect(await b.once('a')).toEqual({ charge: 'a' });
    expect(b.effects).toEqual(['a']);
    expect(b.committed).toHaveLength(1);
  });

  it('throws what it throws afterwards to its caller, and the next one gets what was committed', async () => {
    const b = bench(async (context, id) => {
      await inTransaction(context, async (client: Client) => {
        client.insert(id);
        return 1;
      });
      throw new Error('the mail was not sent');
    });
    await expect(b.once('a')).rejects.toThrow('the mail was not sent');
    expect(await b.once('a')).toBe(1);
    expect(b.effects).toEqual(['a']);
  });

  it('commits nothing where its result cannot be kept, and the key is free again', async () => {
    const b = bench((context) => inTransaction(context, async () => new Date(0)));
    await expect(b.once('a')).rejects.toMatchObject({
      code: 'BATCHLATCH_COMMIT_RESULT',
      message: expect.stringContaining('JSON cannot represent the Date at `$`'),
    });
    expect(b.committed).toEqual([]);
    expect(await b.store.inspect('f#function-v1:a')).toMatchObject({ status: 'FAILED' });
  });

  it('commits nothing for a call whose claim is another one', async () => {
    const b = bench((context, id) =>
      inTransaction(context, async () => {
        const claim = await b.store.inspect(context.idempotencyKey);
        const owned = { key: context.idempotencyKey, owner: claim?.owner ?? '' };
        await b.store.settle([{ end: 'release', ...owned, releases: 0, retentionMs: 1_000 }]);
        return id;
      }),
    );
    await expect(b.once('a')).rejects.toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
    expect(b.committed).toEqual([]);
  });

  it('is waited for where the function does not', async () => {
    const b = bench(async (context, id) => {
      void inTransaction(context, async (client: Client) => {
        await Promise.resolve();
        client.insert(id);
        return 'committed';
      });
      return 'returned';
    });
    expect(await b.once('a')).toBe('committed');
  });

  it('may be one of DynamoDB', async () => {
    const store = memoryStore({ onCommit: () => undefined });
    const once = withIdempotencyContext(
      (context) => async () => {
        await commit(context, [{ Delete: { TableName: 't', Key: { id: 1 } } }], { result: { n: 1 } });
      },
      { store, namespace: 'f', key: () => 'k' },
    );
    expect(await once()).toEqual({ n: 1 });
    expect(await once()).toEqual({ n: 1 });
  });

  it('fails where it makes nothing of a commit that may not have been written', async () => {
    const store = memoryStore({
      onCommit: () => {
        throw new Error('no answer');
      },
    });
    const once = withIdempotencyContext(
      (context) => async () => {
        await commit(context, [], { result: 1 }).catch(() => undefined);
        return 'fine';
      },
      { store, namespace: 'f', key: () => 'k' },
    );
    await expect(once()).rejects.toThrow('no answer');
    expect(await store.inspect('f#function-v1:k')).toMatchObject({ status: 'FAILED' });
  });
});
