import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { doctorPostgres } from '../../src/doctor/index.ts';
import type { PostgresClient } from 'batchlatch/postgres';

describe('doctorPostgres', () => {
  it('rejects where its connection is lost, which ends no process, and closes it', async () => {
    const lost = new Error('Connection terminated unexpectedly');
    const released: unknown[] = [];
    const client = Object.assign(new EventEmitter(), {
      // A client of pg says it by an event too, which is thrown where nobody listens.
      async query() {
        setImmediate(() => client.listenerCount('error') === 0 && released.push('thrown'));
        await new Promise(setImmediate);
        throw lost;
      },
      release: (isBroken?: boolean) => void released.push(isBroken),
    });
    const pool = { connect: async () => client as unknown as PostgresClient };
    await expect(doctorPostgres({ pool })).rejects.toBe(lost);
    expect(released).toEqual([true]);
  });
});
