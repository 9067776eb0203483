import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SQS } from '@aws-sdk/client-sqs';
import { createBatchProcessor, payloadHash, PermanentError } from 'batchlatch';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { keyHash, processorKey } from 'batchlatch/operations';
import { sqsEvent } from 'batchlatch/testing';
import { escapedType } from '../../../../src/messages/message-key.ts';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { systemClock } from '../../src/tool-base/clock.ts';
import { claimsInStates, NOW } from './claims-in-states.ts';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';
import { runCommand, type Terminal } from './run-command.ts';

const MINUTE = 60_000;

describe('claims list', () => {
  const table = claimsInStates();
  const { make, claims } = table;
  const list = async (...args: string[]): Promise<{ claims: { key: string }[]; next: string | null }> =>
    JSON.parse((await claims(['list', '--json', ...args])).out) as {
      claims: { key: string }[];
      next: string | null;
    };

  it('prints the claims of a state as a table', async () => {
    await make('orders#1', 'parked');
    await make('orders#2', 'completed');
    const { status, out, err } = await claims(['list', '--state', 'parked'], { terminal: 90 });
    expect(status).toBe(0);
    expect(out).toBe(
      'KEY       STATE            ATTEMPT  SINCE      ERROR\n' +
        'orders#1  parked (failed)        1  3 min ago  Declined: the card was declined\n',
    );
    expect(err).toMatch(/^1 parked claim in table claims\. Read \d+ rows of the index of overdue claims/);
  });

  it('lists the claims of a type of message, and shows it as text', async () => {
    const type = 'Order:\u001b[2JPlaced';
    await make(`typed#t1:${escapedType(type)}:o-1`, 'parked');
    await make('typed#t1:OrderCancelled:o-1', 'parked');
    await make('typed#v1:o-1', 'parked');
    expect((await list('--prefix', 'typed#', '--type', 'OrderCancelled')).claims).toMatchObject([
      { key: 'typed#t1:OrderCancelled:o-1', type: 'OrderCancelled' },
    ]);
    expect((await list('--type', type)).claims).toMatchObject([{ type }]);
    const { out } = await claims(['list', '--prefix', 'typed#'], { terminal: 120 });
    expect(out).toMatch(/^KEY +TYPE +STATE/);
    expect(out).toMatch(/o-1 +OrderCancelled +parked/);
    expect(out).not.toContain('\u001b');
    const shown = await claims(['show', 'typed#t1:OrderCancelled:o-1']);
    expect(shown.out).toMatch(/^type +OrderCancelled$/m);
    expect((await claims(['show', 'typed#v1:o-1'])).out).not.toMatch(/^type/m);
  });

  it('lists the claims with an error, or with a past', async () => {
    await make('narrow#1', 'parked');
    await make('narrow#2', 'completed');
    const keys = async (...args: string[]): Promise<string[]> =>
      (await list('--prefix', 'narrow#', ...args)).claims.map(({ key }) => key);
    expect(await keys('--error-name', 'Declined')).toEqual(['narrow#1']);
    expect(await keys('--error-name', 'Timeout')).toEqual([]);
    expect(await keys('--past', 'ran-twice')).toEqual([]);
    await claims(['release', 'narrow#1', '--reason', 'fixed', '--yes']);
    expect(await keys('--past', 'changed')).toEqual(['narrow#1']);
  });

  it('prints the JSON that scripts rely on', async () => {
    await make('json#1', 'parked');
    expect(await list('--state', 'parked', '--prefix', 'json#')).toEqual({
      claims: [
        {
          key: 'json#1',
          keyHash: keyHash('json#1'),
          status: 'PARKED',
          state: 'parked',
          parkedKind: 'failed',
          attempt: 1,
          releases: 0,
          crashes: 0,
          owner: 'owner of json#1',
          createdAt: new Date(NOW - 3 * MINUTE).toISOString(),
          claimedAt: new Date(NOW - 3 * MINUTE).toISOString(),
          updatedAt: new Date(NOW - 3 * MINUTE).toISOString(),
          leaseUntil: new Date(NOW + 7 * MINUTE).toISOString(),
          expiresAt: new Date(NOW + 90 * 24 * 60 * MINUTE - 3 * MINUTE).toISOString(),
          recordId: 'm-json#1',
          lockedBy: 'OrdersFunction 42 abc',
          error: { name: 'Declined', message: 'the card was declined', code: 'card_declined' },
          hasResult: false,
          history: [],
        },
      ],
      next: null,
      readBy: 'index',
      rowsRead: expect.any(Number),
      readUnits: expect.any(Number),
    });
  });

  it.each(['in-progress', 'overdue', 'failed', 'parked', 'completed'] as const)(
    'finds what is %s',
    async (state) => {
      await make(`of-${state}`, state);
      const found = await list('--state', state, '--prefix', 'of-');
      expect(found).toMatchObject({ claims: [{ key: `of-${state}`, state }], next: null });
    },
  );

  describe('--parked', () => {
    const leftOver = { leaseMs: MINUTE, retentionMs: 96 * 60 * MINUTE };

    /** Parks a claim of each kind but `done`: two by a processor that finds them left by a process that died. */
    async function parkEach(): Promise<void> {
      for (const id of ['lapsed', 'attempts']) {
        await table.at(NOW - 3 * MINUTE).acquire([{ key: `kinds#v1:${id}`, owner: 'dead', ...leftOver }]);
      }
      const clock = { ...systemClock, now: () => NOW - MINUTE };
      const processing = { namespace: 'kinds', store: table.at(clock.now()), clock };
      const crashed = (id: string) => sqsEvent([{ messageId: id, body: '{}' }]);
      await createBatchProcessor(() => 'done', { ...processing, onLapsedLease: 'park' })(crashed('lapsed'));
      await createBatchProcessor(() => 'done', { ...processing, maxCrashes: 1 })(crashed('attempts'));
      const failing = createBatchProcessor(() => {
        throw new PermanentError('no such customer');
      }, processing);
      await failing(crashed('failed'));
    }
    beforeAll(parkEach);

    it.each(['lapsed', 'failed', 'attempts'])(
      'finds the parked claims of the kind %s alone',
      async (kind) => {
        const found = await list('--parked', kind, '--prefix', 'kinds#');
        expect(found).toMatchObject({
          claims: [{ key: `kinds#v1:${kind}`, state: 'parked', parkedKind: kind }],
          next: null,
          readBy: 'index',
        });
        expect(await list('--parked', kind, '--state', 'parked', '--prefix', 'kinds#')).toEqual(found);
        const { out, err } = await claims(['list', '--parked', kind, '--prefix', 'kinds#'], {
          terminal: 120,
        });
        expect(out).toContain(`kinds#v1:${kind}  parked (${kind})`);
        expect(err).toContain(`1 parked (${kind}) claim in table claims.`);
        const shown = await claims(['show', `kinds#v1:${kind}`], { terminal: 120 });
        expect(shown.out).toContain(`state         parked (${kind})\nwhy parked    `);
        const stats = JSON.parse((await claims(['stats', '--json', '--prefix', 'kinds#'])).out) as unknown;
        expect(stats).toMatchObject({ parkedKinds: { lapsed: 1, failed: 1, attempts: 1, done: 0 } });
      },
    );

    it('says that there are none', async () => {
      const { status, err } = await claims(['list', '--parked', 'done']);
      expect(status).toBe(0);
      expect(err).toMatch(/^No parked \(done\) claims in table claims\./);
    });

    it('shows an unknown outcome in another colour than a failure', async () => {
      const { out } = await claims(['list', '--prefix', 'kinds#'], { terminal: true, env: { NO_COLOR: '' } });
      expect(out).toContain('\u001B[33mparked (lapsed)\u001B[39m');
      expect(out).toContain('\u001B[31mparked (failed)\u001B[39m');
    });

    it.each([
      [
        ['--parked', 'lapsed', '--state', 'failed'],
        '--parked lapsed lists parked claims, and --state is failed',
      ],
      [['--parked', 'lost'], 'Allowed choices are lapsed, failed, attempts, done'],
    ])('refuses %j: wrong usage', async (args, message) => {
      const { status, out, err } = await claims(['list', ...args]);
      expect({ status, out }).toEqual({ status: 2, out: '' });
      expect(err).toContain(message);
    });

    it('selects the claims of a change', async () => {
      const args = ['--prefix', 'kinds#', '--reason', 'x', '--dry-run', '--json'];
      const { out } = await claims(['release', '--parked', 'failed', ...args]);
      expect(JSON.parse(out)).toMatchObject({ wouldChange: [{ key: 'kinds#v1:failed' }], refused: [] });
      const both = await claims(['release', '--parked', 'failed', '--state', 'overdue', ...args]);
      expect(both.status).toBe(2);
    });
  });

  it('goes on where the page before ended', async () => {
    for (const n of [1, 2, 3]) await make(`page#${n}`, 'failed');
    const all = await list('--prefix', 'page#', '--all');
    const first = await list('--prefix', 'page#', '--limit', '2');
    expect(first.claims).toHaveLength(2);
    const second = await list('--prefix', 'page#', '--limit', '2', '--cursor', first.next ?? '');
    expect([...first.claims, ...second.claims]).toEqual(all.claims);
    expect(second.next).toBeNull();
    const { err } = await claims(['list', '--prefix', 'page#', '--limit', '2']);
    expect(err).toContain('There may be more: add --all, or --cursor ');
  });

  it('goes on after the limit where claims are chosen by what is in them', async () => {
    for (const n of [1, 2, 3, 4, 5]) await make(`dense#${n}`, 'parked');
    const chosen = ['--prefix', 'dense#', '--error-name', 'Declined'];
    const first = await list(...chosen, '--limit', '2');
    expect(first.claims).toHaveLength(2);
    const rest = await list(...chosen, '--cursor', first.next ?? '');
    expect([...first.claims, ...rest.claims].map(({ key }) => key).sort()).toEqual(
      [1, 2, 3, 4, 5].map((n) => `dense#${n}`),
    );
  });

  it('says how many claims a copy that goes on has left', async () => {
    for (const n of [1, 2, 3]) await make(`left#${n}`, 'failed');
    const { next } = await list('--prefix', 'left#', '--limit', '2');
    const sides = ['--from', 'dynamodb', '--from-table', 'claims', '--to', 'dynamodb', '--to-table', 'other'];
    const options = ['--prefix', 'left#', '--index', 'none', '--endpoint-url', table.endpoint, '--json'];
    const copy = ['claims', 'copy', ...sides, ...options, '--dry-run'];
    const { out } = await runCommand([...copy, '--cursor', next ?? ''], { now: () => NOW });
    expect(JSON.parse(out)).toMatchObject({ wouldCopy: 1 });
  });

  it.each([
    [['dynamodb', '--from-table', "a'b"], ['postgres'], 2, '--from-table must be the name or the ARN'],
    [['dynamodb', '--from-table', 'nothing'], ['postgres'], 1, 'no such table .*: check --from-table, '],
    [['dynamodb', '--from-table', 'claims'], ['dynamodb', '--to-table', 'nothing'], 1, 'check --to-table, '],
    [['redis', '--from-table', 'a'], ['postgres'], 2, 'leave --from-table out; --from-prefix names claims'],
    [['postgres'], ['redis'], 2, 'No PostgreSQL is named: add a URL after --from, '],
    [['dynamodb', '--from-table', 'claims'], ['redis'], 2, 'No Redis is named: add a URL after --to, '],
    [['dynamodb', '--from-table', 'claims'], ['redis://127.0.0.1:9'], 1, 'Redis does not answer'],
  ])('names the options of a copy from %j to %j', async (from, to, expected, message) => {
    const argv = ['claims', 'copy', '--from', ...from, '--to', ...to, '--yes'];
    const { status, out, err } = await runCommand([...argv, '--endpoint-url', table.endpoint]);
    expect({ status, out }).toEqual({ status: expected, out: '' });
    expect(err).toMatch(new RegExp(`^Error: .*${message}.*\\n$`));
  });

  it('says that there are none', async () => {
    const { status, out, err } = await claims(['list', '--prefix', 'nobody#', '--state', 'failed']);
    expect({ status, out }).toEqual({ status: 0, out: '' });
    expect(err).toMatch(/^No failed claims in table claims\. Read \d+ rows of the table/);
  });

  it('shows a hostile key as text', async () => {
    const key = 'evil#\u001B[2J\u202Egnp\nFAKE  completed';
    await make(key, 'parked');
    const shown = await claims(['list', '--prefix', 'evil#'], { terminal: 200 });
    expect(shown.out).toContain('evil#\\u001B[2J\\u202Egnp\\u000AFAKE  completed  parked');
    expect(shown.out.split('\n')).toHaveLength(3);
    const json = await claims(['list', '--prefix', 'evil#', '--json']);
    expect(json.out).not.toMatch(/[\u202E]/);
    expect((JSON.parse(json.out) as { claims: unknown[] }).claims).toEqual([
      expect.objectContaining({ key }),
    ]);
  });

  it.each([40, 60])('fits a terminal of %i columns', async (columns) => {
    await make(`a-rather-long-namespace#${'0123456789'.repeat(4)}`, 'parked');
    const { out } = await claims(['list', '--state', 'parked'], { terminal: columns });
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(out).toContain('…');
  });

  it('has colors on a terminal, unless they are not wanted', async () => {
    const colored = { terminal: true, env: { NO_COLOR: '' } } as const satisfies Terminal;
    expect((await claims(['list', '--state', 'parked'], colored)).out).toContain(
      '\u001B[31mparked (failed)\u001B[39m',
    );
    expect((await claims(['list', '--state', 'parked', '--no-color'], colored)).out).not.toContain('\u001B');
    expect((await claims(['list', '--state', 'parked', '--json'], colored)).out).not.toContain('\u001B');
  });

  it('uses no index where it is told so', async () => {
    const { err } = await claims(['list', '--state', 'parked', '--index', 'none']);
    expect(err).toMatch(/Read \d+ rows of the table/);
  });

  it('watches: the page anew on a terminal', async () => {
    await make('watched#1', 'failed');
    const stopping = new AbortController();
    const { status, out } = await claims(['list', '--prefix', 'watched#', '--watch', '2'], {
      terminal: true,
      signal: stopping.signal,
      sleep: async (ms, shown) => {
        expect(ms).toBe(2_000);
        if (shown.includes('watched#2')) stopping.abort();
        await make('watched#2', 'failed');
      },
    });
    expect(status).toBe(130);
    const pages = out.split('\u001B[H\u001B[2J\u001B[3J').slice(1);
    expect(pages).toHaveLength(2);
    expect(pages[0]).toMatch(
      /^Claims of table claims, every 2 s, 2026-01-10T12:00:00Z\. Ctrl-C ends it\.\n\nKEY/,
    );
    expect(pages[0]).not.toContain('watched#2');
  });

  it('watches: a line for each change elsewhere, a document in a line with --json', async () => {
    await make('lines#1', 'parked');
    for (const json of [false, true]) {
      const stopping = new AbortController();
      let rounds = 0;
      const { out } = await claims(['list', '--prefix', 'lines#', '--watch', ...(json ? ['--json'] : [])], {
        signal: stopping.signal,
        sleep: async () => {
          rounds += 1;
          if (rounds === 1) await claims(['release', 'lines#1', '--reason', 'test', '--yes']);
          if (rounds === 2) await claims(['forget', 'lines#1', '--reason', 'test', '--yes']);
          if (rounds === 3) stopping.abort();
        },
      });
      await make('lines#1', 'parked');
      const lines = out.trim().split('\n');
      if (json)
        expect(lines.map((line) => (JSON.parse(line) as { claims: unknown[] }).claims.length)).toEqual([
          1, 1, 0,
        ]);
      else
        expect(lines).toEqual([
          '2026-01-10T12:00:00Z parked lines#1 attempt 1',
          '2026-01-10T12:00:00Z failed lines#1 attempt 1',
          '2026-01-10T12:00:00Z gone lines#1',
        ]);
    }
  });
});

describe('claims show', () => {
  const table = claimsInStates();
  const { make, claims } = table;

  it('shows a claim with its history', async () => {
    await make('orders#7', 'parked');
    await claims(['release', 'orders#7', '--reason', 'fixed in 1.4', '--yes'], { now: () => NOW - MINUTE });
    const { status, out } = await claims(['show', 'orders#7'], { terminal: true });
    expect(status).toBe(0);
    expect(out).toContain('state         failed (released)\n');
    expect(out).toContain(
      'next          Waits for its message, in its queue or in the dead-letter queue: released at 2026-01-10T11:59:00Z (1 min ago)\n',
    );
    expect(out).toContain('record id     m-orders#7\n');
    expect(out).toContain(
      '\nHistory\n  2026-01-10T11:57:00Z (3 min ago)  claimed for the first time\n' +
        '  2026-01-10T11:59:00Z (1 min ago)  released by ann@laptop: "fixed in 1.4" (was PARKED at attempt 1, Declined: the card was declined)\n',
    );
  });

  it.each([
    ['its hash', ['--hash', keyHash('found#1')]],
    ['the id of its record', ['--record-id', 'm-found#1']],
    ['a text that is its key', ['--search', 'found#1']],
    ['a text that is the id of its record', ['--search', 'm-found#1']],
  ])('finds a claim by %s', async (_what, args) => {
    await make('found#1', 'completed');
    const { out } = await claims(['show', ...args, '--json']);
    expect(JSON.parse(out)).toMatchObject({ claims: [{ key: 'found#1' }], next: null });
  });

  it('says when SQS delivers its message again, by the queue that is named', async () => {
    const service = await startSqsEmulator();
    const sqs = new SQS({ ...emulatorClientConfig, endpoint: service.endpoint });
    try {
      const { QueueUrl = '' } = await sqs.createQueue({
        QueueName: 'orders',
        Attributes: { VisibilityTimeout: '240' },
      });
      await make('again#1', 'failed');
      const show = (...args: readonly string[]) =>
        runCommand(['claims', 'show', 'again#1', '--table', 'claims', '--queue', ...args], {
          now: () => NOW,
          env: { AWS_ENDPOINT_URL_DYNAMODB: table.endpoint, AWS_ENDPOINT_URL_SQS: service.endpoint },
        });
      const { out } = await show(QueueUrl);
      expect(out).toContain(
        'next          Runs again when SQS delivers the message, about 2026-01-10T12:01:00Z\n',
      );
      const { out: json } = await show('orders', '--json');
      expect(JSON.parse(json)).toMatchObject({
        claims: [{ nextStep: { kind: 'delivery', at: '2026-01-10T12:01:00.000Z', isEstimate: true } }],
      });
    } finally {
      sqs.destroy();
      await service.stop();
    }
  });

  it('shows the result only if asked to', async () => {
    await make('result#1', 'completed');
    expect((await claims(['show', 'result#1'])).out).toContain('19 characters; --show-result shows it');
    expect((await claims(['show', 'result#1', '--json'])).out).not.toContain('ch_1');
    expect((await claims(['show', 'result#1', '--show-result'])).out).toContain('{"chargeId":"ch_1"}');
    const json = await claims(['show', 'result#1', '--show-result', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({
      claims: [{ hasResult: true, result: { chargeId: 'ch_1' } }],
    });
  });

  it('shows what is damaged, or was written by somebody else, without harm', async () => {
    await make('damaged#1', 'failed');
    const history = [
      { at: 1e300, operation: 'release', operator: '\u001B[2J', reason: 'x' },
      null,
      7,
      { at: 'x' },
    ];
    await table.update('damaged#1', { history: { S: JSON.stringify(history) }, createdAt: { N: '1e120' } });
    const { status, out } = await claims(['show', 'damaged#1'], { terminal: true });
    expect(status).toBe(0);
    expect(out).not.toContain('\u001B');
    expect(JSON.parse((await claims(['show', 'damaged#1', '--json'])).out)).toMatchObject({
      claims: [{ key: 'damaged#1' }],
    });
  });

  it('shows how the latest attempt and its batch spent their time, from a log', async () => {
    await make('log#1', 'completed');
    const hash = keyHash('log#1');
    const line = (ms: number, message: string, fields: object = {}): string =>
      JSON.stringify({ timestamp: new Date(NOW + ms).toISOString(), requestId: 'r-1', message, ...fields });
    const of = { key: hash, recordId: 'm-log#1', attempt: 1 };
    const other = { key: '1f0c6a7b2d3e4f50', recordId: '\u001b[31mred', attempt: 1 };
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'log-')), 'worker.log');
    writeFileSync(
      file,
      [
        'not a line of batchlatch',
        line(0, 'claimed', { ...of, durationMs: 5 }),
        line(0, 'claimed', { ...other, durationMs: 5 }),
        line(2_000, 'started', other),
        line(9_000, 'succeeded', { ...other, durationMs: 7_000 }),
        line(9_500, 'batchFinished', { durationMs: 9_600 }),
      ].join('\n'),
    );
    const { out } = await claims(['show', 'log#1', '--log', file]);
    expect(out).toContain('Batch r-1, 9 s in all\n');
    expect(out).toMatch(new RegExp(`\n${hash} \\* +m-log#1 +`));
    expect(out).toMatch(/\n1f0c6a7b2d3e4f50 +\\u001B\[31mred +.* 2 s +7 s/);
    const { waterfall } = JSON.parse((await claims(['show', 'log#1', '--log', file, '--json'])).out)
      .claims[0];
    expect(waterfall).toMatchObject({ source: 'log', requestId: 'r-1', batchMs: 9_600 });
    expect(await claims(['show', 'log#1', '--log', `${file}.1`])).toEqual({
      status: 2,
      out: '',
      err: `Error: The file ${file}.1 of --log does not exist: check the path.\n`,
    });
    expect(await claims(['show', 'log#1', '--log'])).toMatchObject({
      status: 2,
      err: expect.stringContaining('--log-region'),
    });
  });

  it.each([
    ['--key-field', ['orderId'], ({ body }: { body: unknown }) => (body as { orderId: string }).orderId],
    ['--key-hash', ['orderId'], payloadHash({ include: ['orderId'] })],
    ['--key-hash', [], payloadHash()],
    ['--key-exclude', ['sentAt'], payloadHash({ exclude: ['sentAt'] })],
  ] as const)('finds the claim of a body, by %s %j', async (option, paths, key) => {
    const body = { orderId: 'o-7', sentAt: 'today' };
    const namespace = `n${option}${paths.length}`;
    const made = await processorKey({ namespace, key })({
      messageId: 'none',
      recordId: 'none',
      receiveCount: 1,
      attributes: {},
      sentBy: 'unknown',
      claims: [],
      body: JSON.stringify(body),
    });
    await make(made ?? '', 'parked');
    const args = ['show', '--payload', '-', '--namespace', namespace, option, ...paths, '--json'];
    const { out } = await claims(args, { input: JSON.stringify(body) });
    expect(JSON.parse(out).claims).toMatchObject([{ key: made, state: 'parked' }]);
  });

  it.each([
    [['--payload', '-'], 2, /--key-field or --key-hash/],
    [['--payload', '-', '--key-field', 'orderId'], 2, /--namespace/],
    [['--payload', '-', '--namespace', 'n', '--key-field', 'a', '--key-hash', 'b'], 2, /not both/],
    [['--payload', '-', '--namespace', 'n', '--key-field', 'nothing'], 1, /has no key: its body lacks/],
    [['--payload', '-', '--namespace', 'n', '--key-field', 'orderId'], 1, /no claim of n#v1:o-7/],
  ])('tells why %j finds none', async (args, status, text) => {
    const ended = await claims(['show', ...args], { input: '{"orderId":"o-7"}' });
    expect([ended.status, ended.err]).toEqual([status, expect.stringMatching(text)]);
  });

  it('says of a payload of several lines that it is no JSON', async () => {
    const args = ['show', '--payload', '-', '--namespace', 'n', '--key-hash', 'orderId'];
    expect(await claims(args, { input: '{"orderId":"o-7"}\n{"orderId":"o-8"}\n' })).toMatchObject({
      status: 1,
      err: 'Error: standard input has no key: its body is not JSON.\n',
    });
  });

  it('shows a claim although the row of another key is of a newer format, which is named', async () => {
    await make('next-to#1', 'parked');
    await make('next-to#2', 'parked');
    await table.update('next-to#2', { status: { S: 'PARKED@2:9.0.0' } });
    const { status, out, err } = await claims(['show', 'next-to#2', 'next-to#1', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([
      1,
      {
        claims: [{ key: 'next-to#1' }],
        next: null,
        notRead: [{ key: 'next-to#2', message: expect.stringContaining('A newer version') }],
      },
    ]);
    expect(err).toMatch(/^Not read: next-to#2: A newer version of batchlatch wrote the row/);
    const bySearch = await claims(['show', '--hash', keyHash('next-to#2'), '--json']);
    expect([bySearch.status, JSON.parse(bySearch.out)]).toEqual([
      1,
      { claims: [], next: null, newer: [{ key: 'next-to#2', format: 2, version: '9.0.0' }] },
    ]);
  });

  it('says that there is no such claim', async () => {
    expect(await claims(['show', 'nobody'])).toEqual({
      status: 1,
      out: '',
      err: 'There is no claim of nobody in table claims.\n',
    });
  });

  it.each([
    [[], 'Name the claim: KEY, --hash HASH, --record-id ID, --search TEXT or --payload FILE.'],
    [['k', '--hash', 'x'], 'Name claims in one way'],
    [['--hash', 'zz'], '--hash must be 16 hexadecimal digits'],
  ])('refuses %j', async (args, message) => {
    const { status, err } = await claims(['show', ...args]);
    expect(status).toBe(2);
    expect(err).toContain(`Error: ${message}`);
  });
});

describe('claims of Powertools', () => {
  const { endpoint } = powertoolsTable();

  it('are shown as claims', async () => {
    const onTable = ['--table', 'powertools', '--endpoint-url', endpoint(), '--attributes', 'powertools'];
    const { out } = await runCommand(['claims', 'list', '--state', 'completed', '--json', ...onTable]);
    expect(JSON.parse(out)).toMatchObject({ claims: [{ key: 'f#abc', status: 'COMPLETED', attempt: 1 }] });
    const shown = await runCommand(['claims', 'show', 'f#abc', '--show-result', ...onTable]);
    expect(shown.out).toContain('{"chargeId":"ch_1"}');
  });
});

/** A table with a row as Powertools writes it. */
function powertoolsTable(): { endpoint(): string } {
  const table = emulatedTable('dynoxide');
  beforeAll(async () => {
    const client = table.newClient();
    await client.send(new CreateTableCommand(claimsTableDefinition('powertools').table));
    const expiration = Math.ceil(Date.now() / 1_000) + 3_600;
    const Item = {
      id: { S: 'f#abc' },
      status: { S: 'COMPLETED' },
      expiration: { N: String(expiration) },
      data: { M: { chargeId: { S: 'ch_1' } } },
    };
    await client.send(new PutItemCommand({ TableName: 'powertools', Item }));
  });
  return { endpoint: () => table.endpoint };
}

describe('claims stats', () => {
  const { make, claims } = claimsInStates();

  it('counts claims by state, with their times', async () => {
    await make('s#1', 'completed');
    await make('s#2', 'parked');
    await make('s#3', 'overdue');
    const { status, out, err } = await claims(['stats'], { terminal: true });
    expect(status).toBe(0);
    expect(out).toBe(
      [
        'STATE        CLAIMS',
        'in-progress       0',
        'overdue           1',
        'failed            0',
        'parked            1',
        '  (failed)        1',
        'completed         1',
        '',
        '          CLAIMS  MIN  MEDIAN  P95  MAX',
        'waited         1  0 s     0 s  0 s  0 s',
        'ran            1  0 s     0 s  0 s  0 s',
        'attempts       3    1       1    1    1',
        '',
        'Oldest overdue claim: s#3, its lease ended 2 min ago.',
        '',
      ].join('\n'),
    );
    expect(err).toMatch(/Read 3 rows of the table/);
  });

  it('tells when claims ended, by minute, hour or day', async () => {
    const { out } = await claims(['stats', '--by', 'hour'], { terminal: true });
    expect(out).toMatch(
      /FROM +COMPLETED +FAILED +PARKED +RAN, MEDIAN +RAN, P95\n\d{4}-\d\d-\d\dT\d\d:00Z +1 +0 +1 +0 s +0 s\n/,
    );
    const { periods } = JSON.parse((await claims(['stats', '--by', 'day', '--json'])).out);
    expect(periods).toMatchObject([
      { from: expect.stringMatching(/T00:00:00\.000Z$/), completed: 1, parked: 1 },
    ]);
    const { status, err } = await claims(['stats', '--by', 'year']);
    expect([status, err]).toEqual([2, expect.stringContaining('minute, hour, day')]);
  });

  it('prints JSON', async () => {
    const { out } = await claims(['stats', '--json', '--limit', '1']);
    expect(JSON.parse(out)).toMatchObject({
      isWhole: false,
      next: expect.any(String),
      attempts: { count: 1 },
    });
  });

  it('groups failures by error', async () => {
    const { out } = await claims(['stats', '--by', 'error'], { terminal: true });
    expect(out).toBe(
      'ERROR     PARKED  FAILED  LATEST     MESSAGE\n' +
        'Declined       1       0  3 min ago  the card was declined\n',
    );
    const { errors } = JSON.parse((await claims(['stats', '--by', 'error', '--json'])).out);
    expect(errors).toMatchObject([{ name: 'Declined', parked: 1, failed: 0 }]);
    expect(await claims(['stats', '--by', 'error', '--watch'])).toMatchObject({ status: 2 });
  });
});
