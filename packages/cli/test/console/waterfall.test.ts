import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { type Claim, keyHash } from 'batchlatch/operations';
import { jsonLines } from 'batchlatch/observe';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { logLine } from '../../src/console/waterfall/log-line.ts';
import { readWaterfall, type LogSearch } from '../../src/console/waterfall/read-waterfall.ts';
import { waterfallOf } from '../../src/console/waterfall/waterfall.ts';
import { consoles, EMPTY } from './consoles.ts';
import { aClaim } from '../../../../lab/real/support/console/claims.ts';

const NOW = Date.UTC(2026, 4, 12, 14, 30);
const KEY = 'orders#v1:o-1';
const iso = (ms: number): string => new Date(NOW + ms).toISOString();

/** Lines of a request, at milliseconds after `NOW`. */
function linesOf(...lines: readonly (readonly [ms: number, message: string, fields?: object])[]): string[] {
  return lines.map(([ms, message, fields]) =>
    JSON.stringify({ timestamp: iso(ms), level: 'debug', requestId: 'r-1', message, ...fields }),
  );
}

const of = (key: string, attempt = 1): object => ({ key: keyHash(key), recordId: `m-${key}`, attempt });
const claimOf = (members: Partial<Claim> = {}): Claim =>
  aClaim(KEY, 'completed', { now: NOW, createdAt: NOW, completedAt: NOW + 900, ...members });
const read = (texts: readonly string[]): NonNullable<ReturnType<typeof logLine>>[] =>
  texts.map(logLine).filter((line) => line !== undefined);

const BATCH = linesOf(
  [10, 'claimed', { ...of(KEY), durationMs: 8 }],
  [12, 'claimed', { ...of('orders#v1:o-2'), durationMs: 9 }],
  [30, 'started', of(KEY)],
  [40, 'started', of('orders#v1:o-2')],
  [800, 'succeeded', { ...of(KEY), durationMs: 770 }],
  [850, 'failed', { ...of('orders#v1:o-2'), durationMs: 810 }],
  [860, 'settling', { ends: [of(KEY), of('orders#v1:o-2')] }],
  [950, 'batchFinished', { records: 2, durationMs: 955 }],
);

describe('the waterfall of an attempt', () => {
  it('has claim, wait, run and settle of each attempt of the batch', () => {
    const { requestId, batchMs, rows } = waterfallOf(claimOf(), read(BATCH), NOW + 5_000);
    expect([requestId, batchMs]).toEqual(['r-1', 955]);
    const shown = rows.map(({ isAsked, spans }) => [
      isAsked,
      ...spans.map(({ what, from, until }) => `${what} ${from - NOW}-${until - NOW}`),
    ]);
    expect(shown).toEqual([
      [true, 'claim 2-10', 'wait 10-30', 'run 30-800', 'settle 800-900'],
      [false, 'claim 3-12', 'wait 12-40', 'run 40-850', 'settle 850-860'],
    ]);
  });

  it('leaves out another attempt of the key, and another request', () => {
    const earlier = linesOf([-9_000, 'started', of(KEY)]).map((line) => line.replace('r-1', 'r-0'));
    const now = BATCH.map((line) => line.replaceAll('"attempt":1', '"attempt":2'));
    const claim = claimOf({ attempt: 2, createdAt: NOW - 9_500, claimedAt: NOW + 10 });
    const { rows } = waterfallOf(claim, read([...earlier, ...now]), NOW + 5_000);
    const asked = rows.find(({ isAsked }) => isAsked);
    expect(rows.map(({ attempt }) => attempt)).toEqual([2, 2]);
    expect(asked?.spans.map(({ what }) => what)).toEqual(['earlier', 'claim', 'wait', 'run', 'settle']);
    expect(asked?.spans[0]).toEqual({ what: 'earlier', from: NOW - 9_500, until: NOW + 10 });
  });

  it('has what the claim says, where the log has no line of it', () => {
    const spans = (claim: Claim): unknown => waterfallOf(claim, [], NOW + 400).rows[0]?.spans;
    expect(spans(claimOf())).toEqual([{ what: 'held', from: NOW, until: NOW + 900 }]);
    expect(spans(aClaim(KEY, 'in-progress', { now: NOW, createdAt: NOW }))).toEqual([
      { what: 'held', from: NOW, until: NOW + 400 },
    ]);
  });

  it('runs on to now while the handler runs', () => {
    const lines = read(BATCH.slice(0, 4));
    const running = aClaim(KEY, 'in-progress', { now: NOW, createdAt: NOW });
    expect(waterfallOf(running, lines, NOW + 500).rows[0]?.spans.at(-1)).toEqual({
      what: 'run',
      from: NOW + 30,
      until: NOW + 500,
    });
  });
});

describe('a line of a log', () => {
  it.each([
    'START RequestId: 1 Version: $LATEST',
    '{"message":"no time"}',
    '{"timestamp":"2026-05-12T14:30:00Z"}',
    '[1]',
    '{',
    'null',
    '{"timestamp":"2026-05-12T14:30:00Z","message":5}',
  ])('is none: %s', (text) => {
    expect(logLine(text)).toBeUndefined();
  });

  it('may have a prefix, and members of other types', () => {
    const line =
      '2026-05-12 INFO {"timestamp":"2026-05-12T14:30:00Z","message":"x","attempt":"1","ends":[1]}';
    expect(logLine(line)).toEqual({
      at: NOW,
      message: 'x',
      requestId: '',
      recordId: '',
      keyHash: '',
      attempt: 0,
      ends: [],
    });
  });
});

describe('reading a waterfall', () => {
  const signal = new AbortController().signal;

  it('finds the lines of the key first, and those of its request then', async () => {
    const searches: LogSearch[] = [];
    const answer = await readWaterfall(
      claimOf({ lockedBy: 'OrdersFunction:42 r-1' }),
      async (search) => {
        searches.push(search);
        return BATCH.filter((line) => line.includes(search.text));
      },
      { now: NOW + 5_000, signal },
    );
    expect(searches.map(({ text, functionName }) => [text, functionName])).toEqual([
      [keyHash(KEY), 'OrdersFunction'],
      ['r-1', 'OrdersFunction'],
    ]);
    expect([answer.source, answer.rows.length]).toEqual(['log', 2]);
  });

  it('says why the log is missing, and shows the claim', async () => {
    const refuse = async (): Promise<never> => Promise.reject(new Error('AccessDenied'));
    const answer = await readWaterfall(claimOf(), refuse, { now: NOW + 5_000, signal });
    expect(answer).toMatchObject({ source: 'claim', problem: 'AccessDenied', rows: [{ isAsked: true }] });
  });
});

describe('GET /api/waterfall', () => {
  const open = consoles();

  it('tells the times of a real batch from the lines that its processor wrote', async () => {
    const store = memoryStore();
    const lines: string[] = [];
    const handler = createBatchProcessor(async () => undefined, {
      store,
      namespace: 'orders',
      observer: jsonLines({ level: 'debug', write: (line) => lines.push(line) }),
    });
    const event = sqsEvent([
      { messageId: 'm-1', body: {} },
      { messageId: 'm-2', body: {} },
    ]);
    await handler(event, lambdaContext());
    const readLog = async ({ text }: LogSearch): Promise<string[]> =>
      lines.filter((line) => line.includes(text));
    const { get } = await open({ ...EMPTY, store, readLog });
    const answer = await get<{ source: string; rows: { spans: { what: string }[] }[] }>(
      '/api/waterfall?key=orders%23v1%3Am-1',
    );
    expect(answer.source).toBe('log');
    expect(answer.rows.map(({ spans }) => spans.map(({ what }) => what))).toEqual([
      ['claim', 'wait', 'run', 'settle'],
      ['claim', 'wait', 'run', 'settle'],
    ]);
  });

  it('knows no claim that is not there', async () => {
    const { ask } = await open(EMPTY);
    expect(await ask('/api/waterfall?key=none')).toMatchObject({ status: 404 });
  });
});
