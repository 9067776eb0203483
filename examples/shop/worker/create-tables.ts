/** A migration: the tables of the shop, its claims and its outboxes. */
import { readFile } from 'node:fs/promises';
import { outboxTableSql } from 'batchlatch/outbox';
import { claimsTableSql } from 'batchlatch/postgres';
import { dispatchesTable, ordersTable, pool } from './database.ts';

await pool.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'));
await pool.query(claimsTableSql());
for (const table of [ordersTable, dispatchesTable]) await pool.query(outboxTableSql({ table }));
await pool.end();
