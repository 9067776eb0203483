import { describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { type FoundCredentials, keptCredentials } from '../../src/aws/sdk/sdk-settings.ts';

/** Looks for credentials, each of which ends when the test says so. */
function looks() {
  const clock = manualClock(0);
  const ends: PromiseWithResolvers<FoundCredentials>[] = [];
  const credentials = keptCredentials(
    () => {
      const end = withResolvers<FoundCredentials>();
      ends.push(end);
      return end.promise;
    },
    { clock, silent: () => new Error('silent') },
  );
  return {
    clock,
    ends,
    credentials,
    find: async (index: number, minutes = 60) => {
      ends[index]?.resolve(found(`key-${index}`, clock.now() + minutes * 60_000));
      await settled();
    },
    fail: async (index: number) => {
      ends[index]?.reject(new Error(`failure ${index}`));
      await settled();
    },
    ask: async () => (await credentials()).accessKeyId,
  };
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let ends: Omit<PromiseWithResolvers<Value>, 'promise'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => (ends = { resolve, reject }));
  return { promise, ...(ends as unknown as Omit<PromiseWithResolvers<Value>, 'promise'>) };
}

const found = (accessKeyId: string, expiration: number): FoundCredentials => ({
  accessKeyId,
  secretAccessKey: 'a-secret',
  expiration: new Date(expiration),
});

/** Lets promises that are settled run their callbacks. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('Credentials that are kept', () => {
  it('are looked for once by all who ask at a time, and are then there at once', async () => {
    const { ask, find, ends, credentials } = looks();
    const asking = [ask(), ask(), ask()];
    await find(0);
    expect(await Promise.all(asking)).toEqual(['key-0', 'key-0', 'key-0']);
    expect(credentials()).toMatchObject({ accessKeyId: 'key-0' }); // no promise
    expect(ends).toHaveLength(1);
  });

  it('are looked for a second time where the first look hangs', async () => {
    const { ask, find, clock } = looks();
    const asking = ask();
    await clock.advance(4_000);
    await find(1);
    expect(await asking).toBe('key-1');
  });

  it('are looked for a second time where the first look fails', async () => {
    const { ask, find, fail } = looks();
    const asking = ask();
    await fail(0);
    await find(1);
    expect(await asking).toBe('key-1');
  });

  it('are an error where both looks hang, which is not kept', async () => {
    const { ask, find, clock } = looks();
    const asking = ask().catch((error: Error) => error.message);
    await clock.advance(8_000);
    expect(await asking).toBe('silent');
    const again = ask();
    await find(2);
    expect(await again).toBe('key-2');
  });

  it('are an error where both looks fail, which is not kept', async () => {
    const { ask, find, fail } = looks();
    const asking = ask().catch((error: Error) => error.message);
    await fail(0);
    await fail(1);
    expect(await asking).toBe('failure 1');
    const again = ask();
    await find(2);
    expect(await again).toBe('key-2');
  });

  it('may come after their look was given up', async () => {
    const { ask, find, clock, ends, credentials } = looks();
    const asking = ask();
    await clock.advance(4_000);
    await find(0);
    await clock.advance(4_000);
    expect(await asking).toBe('key-0');
    expect(credentials()).toMatchObject({ accessKeyId: 'key-0' });
    expect(ends).toHaveLength(2);
  });

  it('are not replaced by a late look that brings older ones', async () => {
    const { ask, find, clock, credentials } = looks();
    const asking = ask();
    await clock.advance(4_000);
    await find(1, 60);
    await asking;
    await find(0, 30);
    expect(credentials()).toMatchObject({ accessKeyId: 'key-1' });
  });

  it('are renewed five minutes before they expire, while the old ones are used', async () => {
    const { ask, find, clock, ends } = looks();
    const asking = ask();
    await find(0, 60);
    await asking;
    await clock.advance(54 * 60_000);
    expect([await ask(), ends.length]).toEqual(['key-0', 1]);
    await clock.advance(2 * 60_000);
    expect([await ask(), await ask(), ends.length]).toEqual(['key-0', 'key-0', 2]);
    await find(1, 60);
    expect([await ask(), ends.length]).toEqual(['key-1', 2]);
  });

  it('are used until they expire where the renewal hangs or fails, and it is tried again', async () => {
    const { ask, find, fail, clock, ends } = looks();
    const asking = ask();
    await find(0, 60);
    await asking;
    await clock.advance(56 * 60_000);
    await ask();
    await clock.advance(8_000);
    expect([await ask(), ends.length]).toEqual(['key-0', 3]); // not at once
    await clock.advance(2_000);
    expect([await ask(), ends.length]).toEqual(['key-0', 4]);
    await fail(3);
    await fail(4);
    await clock.advance(4 * 60_000);
    const late = ask(); // the old ones are over
    await find(5);
    expect(await late).toBe('key-5');
  });

  it('are looked for once a minute while five looks hang, and at once again when one has ended', async () => {
    const { ask, find, fail, clock, ends } = looks();
    for (const looked of [2, 4, 5]) {
      const asking = ask().catch((error: Error) => error.message);
      await clock.advance(8_000);
      expect(await asking).toBe('silent');
      expect(ends).toHaveLength(looked);
    }
    await expect(ask()).rejects.toThrow('silent');
    expect(ends).toHaveLength(5);
    await clock.advance(60_000);
    const asking = ask();
    await find(5);
    expect(await asking).toBe('key-5');
    await fail(0);
    await clock.advance(70 * 60_000);
    const next = ask();
    await find(6);
    expect(await next).toBe('key-6');
  });
});
