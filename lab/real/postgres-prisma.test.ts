import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, startPostgres } from '../../test/support/components/postgres.ts';
import { generatedClient, prisma, PRISMA_TABLE } from '../../test/support/components/prisma.ts';
import { poolOf } from '../../test/support/postgres-table.ts';
import type { PrismaReport } from '../../test/support/prisma-program.ts';

const PROGRAM = fileURLToPath(new URL('../../test/support/prisma-program.ts', import.meta.url));

describeWith([postgres, prisma], 'inTransaction with the transactions of Prisma', () => {
  it(
    'commits effects and completions, or neither, and runs again what was rolled back for others',
    async () => {
      const { client, adapter } = await generatedClient();
      const server = await startPostgres();
      try {
        const pool = poolOf(server.endpoint);
        await pool.query(PRISMA_TABLE);
        await pool.end();
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ['--import', 'tsx', PROGRAM, client, adapter, server.endpoint],
          { env: { ...process.env, NODE_OPTIONS: '' }, timeout: 60_000 },
        );
        const report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as PrismaReport;
        expect(report).toEqual({
          back: ['late', 'throws'],
          effects: ['a', 'again'],
          runs: 3,
          refusal: expect.stringContaining('23505'),
          statuses: {
            a: 'COMPLETED',
            late: 'IN_PROGRESS',
            throws: 'FAILED',
            again: 'COMPLETED',
            refused: 'COMPLETED',
          },
        });
      } finally {
        await server.stop();
      }
    },
    INSTALL_TIMEOUT_MS,
  );
});
