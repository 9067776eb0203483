import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { porcupine } from '../../test/support/components/porcupine.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryAnswer, HistoryLine, HistoryRequest } from './history.ts';

/** Histories written by hand. A call at 100 ms is at 100 ms by both clocks. */
describeWith([porcupine], 'the checker', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'histories-'));
  beforeAll(() => porcupine.install(), INSTALL_TIMEOUT_MS);
  afterAll(() => rmSync(folder, { recursive: true }));

  async function resultOf(...history: readonly HistoryLine[]): Promise<string> {
    const file = path.join(folder, 'history.jsonl');
    writeFileSync(file, history.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return (await checkHistory(file)).result;
  }

  const byAnn = acquire('ann', 0, 10, { attempt: 1, leaseUntil: 105 });
  const takenByBob = (from: number, until: number): HistoryLine =>
    acquire('bob', from, until, { attempt: 2, crashes: 1, tookOver: true, leaseUntil: until + 90 });
  const refusedToBob = (from: number, until: number, leaseUntil = 105): HistoryLine =>
    line(
      'acquire',
      from,
      until,
      { owner: 'bob', leaseMs: 100 },
      { status: 'conflict', attempt: 1, leaseUntil },
    );

  it('takes a takeover that may have been decided when the lease was over', async () => {
    expect(await resultOf(byAnn, takenByBob(50, 106))).toBe('Ok');
    expect(await resultOf(byAnn, takenByBob(200, 210))).toBe('Ok');
  });

  it('refuses one of a lease that was live until its return', async () => {
    expect(await resultOf(byAnn, takenByBob(50, 95))).toBe('Illegal');
  });

  it('takes a conflict that may have been decided when the lease was live, and refuses any other', async () => {
    expect(await resultOf(byAnn, refusedToBob(100, 300))).toBe('Ok');
    expect(await resultOf(byAnn, refusedToBob(120, 130))).toBe('Illegal');
  });

  it('refuses a conflict that tells of a lease which nobody has', async () => {
    expect(await resultOf(byAnn, refusedToBob(50, 60, 500))).toBe('Illegal');
  });

  it('counts the longer lease of an extension', async () => {
    const extended = line('extend', 60, 70, { owner: 'ann', leaseMs: 100 }, { status: 'stored' });
    expect(await resultOf(byAnn, extended, takenByBob(110, 150))).toBe('Illegal');
    expect(await resultOf(byAnn, extended, takenByBob(110, 165))).toBe('Ok');
  });

  it('lets what has no answer have happened, at any time after its call, or not', async () => {
    const unknown = settle('ann', 'complete', 20, null);
    const duplicate = line(
      'acquire',
      400,
      410,
      { owner: 'bob', leaseMs: 100 },
      { status: 'duplicate', result: '"ann"' },
    );
    expect(await resultOf(byAnn, unknown, takenByBob(200, 210))).toBe('Ok');
    expect(await resultOf(byAnn, unknown, duplicate)).toBe('Ok');
    expect(await resultOf(byAnn, { ...unknown, call: 500e6 }, duplicate)).toBe('Illegal');
    expect(await resultOf(byAnn, duplicate)).toBe('Illegal');
  });

  it('refuses an end of an owner whose claim was taken over', async () => {
    const late = (status: string): HistoryLine => settle('ann', 'complete', 220, 230, status);
    expect(await resultOf(byAnn, takenByBob(200, 210), late('lost'))).toBe('Ok');
    expect(await resultOf(byAnn, takenByBob(200, 210), late('stored'))).toBe('Illegal');
  });

  it('judges each key by itself, and names those that it refuses', async () => {
    const other = { ...takenByBob(50, 95), request: { ...takenByBob(50, 95).request, key: 'other' } };
    const file = path.join(folder, 'two.jsonl');
    writeFileSync(file, [byAnn, other].map((one) => `${JSON.stringify(one)}\n`).join(''));
    expect(await checkHistory(file)).toMatchObject({ result: 'Illegal', keys: 2, refused: ['other'] });
  });
});

function acquire(owner: string, from: number, until: number, answer: Partial<HistoryAnswer>): HistoryLine {
  return line('acquire', from, until, { owner, leaseMs: 100 }, { status: 'acquired', ...answer });
}

function settle(
  owner: string,
  end: string,
  from: number,
  until: number | null,
  status?: string,
): HistoryLine {
  const answer = status === undefined ? null : { status };
  return line('settle', from, until, { owner, end, result: `"${owner}"` }, answer);
}

function line(
  op: HistoryRequest['op'],
  from: number,
  until: number | null,
  request: Partial<HistoryRequest>,
  answer: HistoryAnswer | null,
): HistoryLine {
  return {
    client: 0,
    call: from * 1e6,
    return: until === null ? null : until * 1e6,
    request: { op, key: 'key', ...request, from, until: until ?? 0, wasResent: false },
    answer,
  };
}
