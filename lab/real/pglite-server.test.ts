import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, type Pool } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../local/emulators/postgres-emulator.ts';
import { poolOf } from '../../test/support/postgres-table.ts';

describe('The PostgreSQL emulator', () => {
  let service: LocalService;
  let pool: Pool;
  beforeAll(async () => {
    service = await startPostgresEmulator();
    pool = poolOf(service.endpoint, { max: 8 });
    await pool.query('CREATE TABLE numbers (n int)');
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });

  it('keeps the statements of connections apart, and the values of each', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const text = index % 2 === 0 ? 'SELECT $1::int AS n' : 'SELECT $1::text AS t, 1 AS one';
        return (await pool.query<object>(text, [index])).rows[0];
      }),
    );
    expect(answers).toEqual(
      answers.map((_, index) => (index % 2 === 0 ? { n: index } : { t: String(index), one: 1 })),
    );
  });

  it('lets transactions of several connections come one after the other', async () => {
    await pool.query('INSERT INTO numbers VALUES (0)');
    const add = async (): Promise<void> => {
      const client = await pool.connect();
      await client.query('BEGIN');
      const { rows } = await client.query<{ n: number }>('SELECT max(n) AS n FROM numbers');
      await client.query('INSERT INTO numbers VALUES ($1)', [(rows[0]?.n ?? 0) + 1]);
      await client.query('COMMIT');
      client.release();
    };
    await Promise.all(Array.from({ length: 20 }, add));
    expect((await pool.query('SELECT max(n) AS n FROM numbers')).rows).toEqual([{ n: 20 }]);
  });

  it('rolls back what a client has begun that is gone, and goes on', async () => {
    const client = new Client({ connectionString: service.endpoint });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO numbers VALUES (1000)');
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    expect((await pool.query('SELECT FROM numbers WHERE n = 1000')).rows).toEqual([]);
  });
});
