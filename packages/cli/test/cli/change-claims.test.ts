import { describe, expect, it } from '@jest/globals';
import { claimsInStates, NOW } from './claims-in-states.ts';

const BECAUSE = ['--reason', 'fixed in 1.4'] as const;

describe('A change of claims', () => {
  const table = claimsInStates();
  const { make, claims } = table;

  it.each([
    ['release', 'failed', { status: 'FAILED', crashes: 0 }],
    ['resolve', 'parked', { status: 'COMPLETED' }],
    ['park', 'failed', { status: 'PARKED' }],
    ['forget', 'completed', undefined],
  ] as const)('%s: is written, with who did it and why', async (operation, from, expected) => {
    const key = `${operation}#1`;
    await make(key, from);
    const { status, out, err } = await claims([operation, key, ...BECAUSE, '--yes']);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(new RegExp(`^(Released|Resolved|Parked|Forgot) ${key}\n$`));
    const claim = await table.store.read(key);
    if (expected === undefined) expect(claim).toBeUndefined();
    else {
      expect(claim).toMatchObject({
        ...expected,
        history: [{ operation, operator: 'ann@laptop', reason: 'fixed in 1.4', at: NOW }],
      });
    }
  });

  it('is made by whoever --operator names', async () => {
    await make('named#1', 'parked');
    await claims(['release', 'named#1', ...BECAUSE, '--yes', '--operator', 'runbook']);
    expect((await table.store.read('named#1'))?.history).toMatchObject([{ operator: 'runbook' }]);
  });

  it('resolve: keeps the result', async () => {
    await make('result#1', 'failed');
    await claims(['resolve', 'result#1', ...BECAUSE, '--yes', '--result', '{"chargeId":"ch_9"}']);
    expect((await table.store.read('result#1'))?.result).toBe('{"chargeId":"ch_9"}');
  });

  it('is made although the row of another key is of a newer format, which is named', async () => {
    await make('beside#1', 'parked');
    await make('beside#2', 'parked');
    await table.update('beside#2', { status: { S: 'PARKED@2:9.0.0' } });
    const keys = ['beside#2', 'beside#1'];
    const dry = await claims(['release', ...keys, ...BECAUSE, '--dry-run', '--json']);
    expect([dry.status, JSON.parse(dry.out)]).toMatchObject([
      1,
      { wouldChange: [{ key: 'beside#1' }], refused: [], failed: [{ key: 'beside#2' }] },
    ]);
    const { status, out, err } = await claims(['release', ...keys, ...BECAUSE, '--yes']);
    expect({ status, out }).toEqual({ status: 1, out: 'Released beside#1\n' });
    expect(err).toMatch(/^Failed beside#2: A newer version of batchlatch wrote the row/);
  });

  it('is shown, and made if the answer is yes', async () => {
    await make('asked#1', 'parked');
    const { status, out, err } = await claims(['release', 'asked#1', ...BECAUSE], {
      terminal: true,
      input: 'y\n',
    });
    expect({ status, out }).toEqual({ status: 0, out: 'Released asked#1\n' });
    expect(err).toBe(
      'KEY      STATE            ATTEMPT  AFTER RELEASE\n' +
        'asked#1  parked (failed)        1  may run again\n' +
        'Release 1 claim? [y/N] ',
    );
  });

  it.each(['n\n', '\n', '', 'yesterday\n'])('is not made if the answer is %j', async (input) => {
    await make(`no#${input}`, 'parked');
    const { status, out, err } = await claims(['release', `no#${input}`, ...BECAUSE], {
      terminal: true,
      input,
    });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/Nothing was changed\.\n$/);
    expect((await table.store.read(`no#${input}`))?.status).toBe('PARKED');
  });

  it.each([
    ['no reason', ['release', 'k', '--yes'], 'Say why: add --reason "…".'],
    ['nobody to ask', ['release', 'k', ...BECAUSE], 'There is no terminal to ask on: add --yes'],
    [
      'no claims',
      ['release', '--yes', ...BECAUSE],
      'Name the claims: KEY, --hash HASH or --record-id ID; or --state',
    ],
    ['a prefix alone', ['forget', '--prefix', 'o', '--yes', ...BECAUSE], 'Name the claims: KEY'],
    [
      'a key and a state',
      ['release', 'k', '--state', 'parked', '--yes', ...BECAUSE],
      '--state, --parked and --prefix are for many',
    ],
    [
      'an empty reason',
      ['release', 'k', '--reason', ' ', '--yes'],
      "option '--reason <text>' argument ' ' is invalid",
    ],
    [
      'a result that is no JSON',
      ['resolve', 'k', '--result', '{', '--yes', ...BECAUSE],
      'Give JSON, such as',
    ],
  ])('is refused with %s: wrong usage', async (_what, args, message) => {
    const { status, out, err } = await claims(args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(message);
    expect(err.split('\n').length).toBeLessThanOrEqual(3);
  });

  it('is refused where a handler may be running, with what was found', async () => {
    await make('running#1', 'in-progress');
    expect(await claims(['release', 'running#1', ...BECAUSE, '--yes'])).toEqual({
      status: 1,
      out: '',
      err: 'Refused running#1 [in-progress]: a handler may be running until 2026-01-10T12:07:00Z (--force does it all the same)\n',
    });
    const forced = await claims(['release', 'running#1', ...BECAUSE, '--force'], {
      terminal: true,
      input: 'y\n',
    });
    expect(forced.err).toContain('may run again; its handler may be running now');
    expect(forced.status).toBe(0);
  });

  it('does what it can, and says what it could not', async () => {
    await make('some#1', 'parked');
    await make('some#2', 'completed');
    const { status, out } = await claims([
      'release',
      'some#1',
      'some#2',
      'some#3',
      ...BECAUSE,
      '--yes',
      '--json',
    ]);
    expect(status).toBe(1);
    expect(JSON.parse(out)).toEqual({
      done: [{ key: 'some#1', claim: expect.objectContaining({ key: 'some#1', status: 'FAILED' }) }],
      refused: [
        { key: 'some#3', why: 'absent', message: 'there is no such claim', found: null },
        {
          key: 'some#2',
          why: 'completed',
          message: 'it is completed (--force does it all the same)',
          found: expect.objectContaining({ key: 'some#2', status: 'COMPLETED' }),
        },
      ],
      failed: [],
    });
  });

  it('is made to all claims of a state and prefix', async () => {
    for (const n of [1, 2, 3]) await make(`many#${n}`, 'parked');
    await make('other#1', 'parked');
    const { status, err } = await claims(['release', '--state', 'parked', '--prefix', 'many#', ...BECAUSE], {
      terminal: true,
      input: 'yes\n',
    });
    expect(status).toBe(0);
    expect(err).toContain('Release 3 claims? [y/N] ');
    expect((await table.store.read('other#1'))?.status).toBe('PARKED');
    expect((await table.store.read('many#2'))?.status).toBe('FAILED');
  });

  it('is only shown in a dry run', async () => {
    await make('dry#1', 'parked');
    await make('dry#2', 'completed');
    const { status, out } = await claims([
      'release',
      'dry#1',
      'dry#2',
      'dry#3',
      ...BECAUSE,
      '--dry-run',
      '--json',
    ]);
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      wouldChange: [{ key: 'dry#1', effect: 'may run again' }],
      refused: [
        { key: 'dry#3', why: 'absent' },
        { key: 'dry#2', why: 'completed' },
      ],
    });
    const text = await claims(['release', 'dry#1', ...BECAUSE, '--dry-run']);
    expect(text).toMatchObject({ status: 0, out: '' });
    expect(text.err).toMatch(/may run again\nThis was a dry run: nothing was changed\.\n$/);
    expect((await table.store.read('dry#1'))?.status).toBe('PARKED');
  });

  it('is refused if the claim changes while the question is open', async () => {
    await make('raced#1', 'parked');
    const { status, out, err } = await claims(['forget', 'raced#1', ...BECAUSE], {
      terminal: true,
      input: async () => {
        await claims(['release', 'raced#1', ...BECAUSE, '--yes']);
        return 'y\n';
      },
    });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(
      /Refused raced#1 \[failed \(released\)\]: it has changed meanwhile and is failed at attempt 1; try again/,
    );
    expect((await table.store.read('raced#1'))?.status).toBe('FAILED');
  });

  it('does nothing if Ctrl-C answers', async () => {
    await make('stopped#1', 'parked');
    const stopping = new AbortController();
    const { status } = await claims(['release', 'stopped#1', ...BECAUSE], {
      terminal: true,
      signal: stopping.signal,
      input: async () => {
        stopping.abort();
        return new Promise(() => {});
      },
    });
    expect(status).toBe(130);
    expect((await table.store.read('stopped#1'))?.status).toBe('PARKED');
  });
});
