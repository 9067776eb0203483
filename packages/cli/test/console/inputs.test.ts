import { describe, expect, it } from '@jest/globals';
import { posting } from '../../../../test/support/console-browser.ts';
import { consoles, EMPTY } from './consoles.ts';

const SEEN = { key: 'k', owner: 'o', status: 'FAILED', attempt: 1 };
const LONG = 'k'.repeat(8_000);

describe('what a page sends to the console', () => {
  const open = consoles();

  async function refusal(path: string, body?: unknown): Promise<string> {
    const { url, ask } = await open();
    const { status, text } = await ask(path, body === undefined ? {} : posting(url, body));
    const { error } = JSON.parse(text) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    expect([status, error.code]).toEqual([
      400,
      expect.stringMatching(/^(bad-request|BATCHLATCH_CONFIGURATION)$/),
    ]);
    return error.message;
  }

  it.each<[unknown, string]>([
    ['x', "Expected `filter` to be an object { state?, parked?, released?, by?, q?, … }, got `'x'` (string)"],
    [
      null,
      'Expected `filter` to be an object { state?, parked?, released?, by?, q?, … }, got `null` (object)',
    ],
    [[], 'Expected `filter` to be an object { state?, parked?, released?, by?, q?, … }, got `[]` (object)'],
    [true, 'got `true` (boolean)'],
    [
      { stat: 'parked' },
      'Unknown option `filter.stat`; known options are state, parked, released, by, q, error'.slice(0, -7),
    ],
    [{ state: null }, 'Expected `filter.state` to be'],
    [{ state: '' }, 'Expected `filter.state` to be'],
    [{ state: ['parked'] }, 'Expected `filter.state` to be'],
    [{ by: null, q: 'x' }, 'Expected `filter.by` to be'],
    [{ q: null }, 'Expected `filter.q` to be'],
    [{ q: LONG }, 'Expected `filter.q` to be a text of 2048 bytes at most'],
    [{ by: 'key' }, 'Expected `q` to be'],
    [{ by: 'any' }, 'Expected `q` to be'],
    [{ released: true }, 'Expected `filter.released` to be'],
    [{ released: 'yes', state: 'parked' }, 'Expected `released` without'],
    [{ by: 'hash', q: ' ' }, 'Expected `q` to be'],
  ])('never plans a change of everything by mistake: filter %j', async (filter, message) => {
    expect(await refusal('/api/plan', { operation: 'release', filter })).toContain(message);
  });

  it.each<[string, unknown, string]>([
    ['plan', { operation: 'release', filters: {}, filter: {} }, 'Unknown option `filters`'],
    ['plan', { operation: 'release', filter: {}, force: null }, 'Expected `force` to be true or false'],
    ['plan', { operation: 'release', claims: null }, 'Expected `claims` to be a list of 1 to 10000 claims'],
    ['plan', { operation: 'release', claims: { 0: SEEN } }, 'Expected `claims` to be a list'],
    [
      'plan',
      { operation: 'release', claims: [SEEN, 'k'] },
      'claims[1]: Expected the options to be an object',
    ],
    [
      'plan',
      { operation: 'release', claims: [SEEN, { ...SEEN, key: LONG }] },
      'claims[1]: Expected `key` to be a key of 1 to 2048 bytes',
    ],
    ['plan', { operation: 'release', claims: [{ ...SEEN, attempt: null }] }, 'Expected `attempt` to be'],
    ['changes', { plan: null, reason: 'why' }, 'Expected `plan` to be a text'],
    ['changes', { plan: 'x', reason: null }, 'Expected `reason` to be'],
    ['changes', { plan: 'x', reason: 'why', confirmed: 'no' }, 'Expected `confirmed` to be true or false'],
    ['changes', { plan: 'x', reason: 'why', dryRun: true }, 'Unknown option `dryRun`'],
    ['jobs/stop', { job: 7 }, 'Expected `job` to be a text'],
    ['read', { everything: true }, 'Unknown option `everything`'],
    ['dead-letters/body', { queue: 'q', messageId: null }, 'Expected `messageId` to be a text'],
    [
      'dead-letters/plan',
      { queue: 'q', which: null },
      "Expected `which` to be 'all', or a list of 1 to 1000",
    ],
    ['dead-letters/plan', { queue: 'q', which: ['a', 7] }, 'Expected `which` to be'],
    ['dead-letters/plan', { queue: 'q', which: 'all', completed: null }, "Expected `completed` to be 'skip'"],
    ['dead-letters/redrive', { plan: ['x'], reason: 'why' }, 'Expected `plan` to be a text'],
    ['outbox/plan', { operation: 'forget' }, "Expected `operation` to be 'release' or 'drop'"],
    ['outbox/plan', { operation: 'drop', rows: [{ outboxId: 7 }] }, 'rows[0]: Expected `outboxId` to be'],
    [
      'outbox/plan',
      { operation: 'drop', filter: { state: 'waiting' } },
      "Expected `filter.state` to be 'parked'",
    ],
    ['outbox/plan', { operation: 'drop' }, 'Expected either `filter` or `rows`'],
    ['outbox/body', { outboxId: null }, 'Expected `outboxId` to be'],
    ['sign-in', { token: null }, 'Expected `token` to be a text'],
  ])('is named where it is wrong: POST /api/%s %j', async (name, body, message) => {
    const told = await refusal(`/api/${name}`, body);
    expect(told).toContain(message);
  });

  it.each([
    [`claim?key=${LONG}`, 'Expected `key` to be a key of 1 to 2048 bytes'],
    [`claim?key=${encodeURIComponent('€'.repeat(700))}`, 'Expected `key` to be a key of 1 to 2048 bytes'],
    ['claim', 'Expected `key` to be'],
    [`claims?by=key&q=${LONG}`, 'Expected `q` to be a text of 2048 bytes at most'],
    ['claims?limit=0', 'Expected `limit` to be a whole number from 1 to 1000'],
    ['claims?limit=1e2', 'Expected `limit` to be'],
    ['claims?limit=', 'Expected `limit` to be'],
    ['claims?stat=parked', 'Unknown option `stat`'],
    ['export?stat=parked', 'Unknown option `stat`'],
    ['claims?cursor=nonsense', 'cursor'],
    ['job', 'Expected `id` to be a text'],
  ])('is named where it is wrong: GET /api/%s', async (path, message) => {
    expect(await refusal(`/api/${path}`)).toContain(message);
  });

  it('may be a key as long as keys can be', async () => {
    const { ask } = await open(EMPTY);
    expect((await ask(`/api/claim?key=${'k'.repeat(2_048)}`)).status).toBe(404);
  });
});
