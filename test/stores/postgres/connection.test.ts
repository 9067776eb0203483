import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { onConnection } from '../../../src/stores/postgres/connection.ts';
import type { PostgresClient, PostgresPool, SqlAnswer } from '../../../src/stores/postgres/pool.ts';

const NO_ROWS: SqlAnswer = { rows: [] };
const LIMIT_MS = 1_000;

let clock: ManualClock;
/** How the connection was given back, each time; `true`: to be closed. */
let released: unknown[];
let client: EventEmitter & PostgresClient;

beforeEach(() => {
  clock = manualClock();
  released = [];
  client = Object.assign(new EventEmitter(), {
    query: async () => NO_ROWS,
    release: (isBroken?: boolean) => void released.push(isBroken),
  });
});

const use = (
  body: () => Promise<unknown>,
  pool: PostgresPool = { connect: async () => client },
): Promise<unknown> => onConnection(pool, body, { clock, limitMs: LIMIT_MS });

const told = (code: string, severity = 'ERROR'): Error =>
  Object.assign(new Error('told by the database'), { code, severity });

const thrown = (error: unknown): unknown => error;

describe('a connection of the pool', () => {
  it('is given back as it was after an answer', async () => {
    expect(await use(async () => 'answer')).toBe('answer');
    expect([released, client.listenerCount('error')]).toEqual([[false], 0]);
  });

  it.each<[string, Error, boolean]>([
    ['the statement failed', told('23505'), false],
    ['it was cancelled', told('57014'), false],
    ['the server ends it', told('57P01', 'FATAL'), true],
    ['it leads to a replica', told('25006'), true],
    ['the network failed', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), true],
  ])('goes by what the database said where %s', async (_what, error, isClosed) => {
    await expect(use(() => Promise.reject(error))).rejects.toBe(error);
    expect(released).toEqual([isClosed]);
  });

  it('is closed once where no answer came in time, whatever comes later', async () => {
    let answer!: () => void;
    const using = use(() => new Promise<void>((resolve) => (answer = resolve))).catch(thrown);
    await clock.advance(LIMIT_MS);
    expect(await using).toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
    client.emit('error', new Error('Connection terminated'));
    answer();
    await clock.advance(0);
    expect(released).toEqual([true]);
  });

  it('makes room in the pool as soon as it is lost, also where nobody sends anything on it', async () => {
    let end!: () => void;
    const using = use(() => new Promise<void>((resolve) => (end = resolve)));
    await clock.advance(0);
    client.emit('error', new Error('Connection terminated unexpectedly'));
    client.emit('error', new Error('again'));
    expect(released).toEqual([true]);
    end();
    await using;
    expect(released).toEqual([true]);
  });

  it('is given back unused where it was lent too late', async () => {
    let lend!: () => void;
    const connect = (): Promise<PostgresClient> => new Promise((resolve) => (lend = () => resolve(client)));
    const using = use(async () => 'never', { connect }).catch(thrown);
    await clock.advance(60_000);
    expect(await using).toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
    lend();
    await clock.advance(0);
    expect(released).toHaveLength(1);
    expect(client.listenerCount('error')).toBe(0);
  });
});
