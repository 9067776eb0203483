import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parkedOutbox } from '../../../../test/support/parked-outbox.ts';
import type { ActionJson, Overview, RowsJson, RowsPlanJson, StartedJson } from '../../src/console/api.ts';
import type { FunctionResponse } from '../../src/console-function/function-event.ts';
import { functionUrlEvent, json, team } from './team.ts';

const ANN = 'arn:aws:sts::123456789012:assumed-role/OnCall/ann';
const BOB = 'arn:aws:sts::123456789012:assumed-role/Support/bob';
const ROLES = {
  read: ['arn:aws:iam::123456789012:role/Support'],
  operate: ['arn:aws:iam::123456789012:role/OnCall'],
};
const REASON = 'the queue is back';

describe('the outbox of a team', () => {
  const of = team(
    () => ({ kind: 'function-url', roles: ROLES }),
    () => 'http://127.0.0.1:9',
  );
  let parked: Awaited<ReturnType<typeof parkedOutbox>>;
  beforeAll(async () => {
    parked = await parkedOutbox(of.endpoint, 'b');
  });
  afterAll(() => parked.stop());
  const ask = (
    userArn: string,
    path: string,
    body?: unknown,
    config: object = {},
  ): Promise<FunctionResponse> =>
    of.handler({ config: { outboxTableName: 'orders-outbox', ...config } })(
      functionUrlEvent(path, { userArn, ...(body !== undefined && { body }) }),
    );
  const planOf = async (): Promise<RowsPlanJson> =>
    json(
      await ask(BOB, '/api/outbox/plan', { operation: 'release', filter: { state: 'parked' } }),
    ) as RowsPlanJson;

  it('is seen by the role read, with the counts on the overview', async () => {
    const { rows } = json(await ask(BOB, '/api/outbox')) as RowsJson;
    expect(rows.map(({ state }) => state)).toEqual(['parked', 'parked', 'waiting']);
    const { body } = await ask(BOB, '/api/events');
    const overview = JSON.parse(/data: (.*)/.exec(body)?.[1] ?? '{}') as Overview;
    expect(overview.outbox).toMatchObject({ parked: { count: 2 }, waiting: { count: 1 } });
  });

  it('is not changed if the action cannot be recorded', async () => {
    const { plan } = await planOf();
    const config = { actionsTableName: 'no-such-table' };
    const answer = await ask(ANN, '/api/outbox/change', { plan, reason: REASON }, config);
    expect((json(answer) as StartedJson).ended).toMatchObject({ ended: 'failed' });
    expect((await parked.outbox.admin.list({ state: 'parked' })).entries).toHaveLength(2);
  });

  it('is changed once by the role operate, in the name of the person', async () => {
    const { plan } = await planOf();
    const change = async (): Promise<StartedJson> =>
      json(await ask(ANN, '/api/outbox/change', { plan, reason: REASON })) as StartedJson;
    expect((await change()).ended).toMatchObject({ ended: 'whole', result: { done: 2 } });
    expect((await change()).ended).toMatchObject({ result: { done: 0, refused: { waiting: 2 } } });
    const { entries } = await parked.outbox.admin.list({ state: 'waiting' });
    const operator = 'ann (123456789012 OnCall)';
    expect(entries.filter(({ history }) => history[0]?.operator === operator)).toHaveLength(2);
    const { actions } = json(await ask(BOB, '/api/actions')) as { readonly actions: readonly ActionJson[] };
    expect(actions).toContainEqual(
      expect.objectContaining({ what: 'release-row', operator, reason: REASON, done: 2, ended: 'whole' }),
    );
  });
});
