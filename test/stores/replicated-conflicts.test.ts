import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClaimRequest, ClaimStore, Completion } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { claimRequests, completion } from '../support/claim-builders.ts';
import { emulatorClient } from '../support/claims-table.ts';
import { effectCounters } from '../support/effect-counters.ts';
import { answers, faultyServer, refuses } from '../support/faulty-server.ts';

/** A table of a global table with multi-Region strong consistency, while another Region writes the same items. */
describe.each(['direct', 'sdk'] as const)('A conflict with another Region, by the %s transport', (name) => {
  const server = faultyServer();
  const before = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  beforeAll(() => {
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = server.endpoint;
  });
  afterAll(() => {
    if (before === undefined) delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];
    else process.env['AWS_ENDPOINT_URL_DYNAMODB'] = before;
  });

  const open = (writes: 'batch' | 'single' = 'batch'): ClaimStore => {
    const given = name === 'sdk' ? { client: emulatorClient(server.endpoint) } : {};
    return dynamoDBStore({ tableName: 'claims', writes, ...given });
  };
  const request = (): ClaimRequest => claimRequests(1)[0] as ClaimRequest;
  const wholeAnswer = refuses('ReplicatedWriteConflictException');
  const done = answers(200, { Responses: [{}] });

  it.each(['batch', 'single'] as const)('as the whole answer: is sent again, %s writes', async (writes) => {
    server.answers(wholeAnswer, done);
    expect(await open(writes).acquire([request()])).toMatchObject([{ status: 'acquired' }]);
    server.answers(done, done, wholeAnswer, done); // from the third request on
    expect(await open(writes).settle([completion(request())])).toEqual(['stored']);
    expect(server.arrivals).toHaveLength(4);
  });

  it.each(['batch', 'single'] as const)('that does not end is retryable, %s writes', async (writes) => {
    server.answers(wholeAnswer);
    const error = { code: 'BATCHLATCH_STORE', isRetryable: true };
    expect(await open(writes).acquire([request()])).toMatchObject([{ status: 'error', error }]);
    expect(await open(writes).settle([completion(request())])).toMatchObject([{ error }]);
  });

  it('as the code of a statement: that statement alone is sent again', async () => {
    const [first, second] = claimRequests(2) as [ClaimRequest, ClaimRequest];
    const conflict = { Error: { Code: 'ReplicatedWriteConflict', Message: 'in another Region' } };
    server.answers(answers(200, { Responses: [{}, conflict] }), done);
    expect(await open().acquire([first, second])).toMatchObject([
      { status: 'acquired' },
      { status: 'acquired' },
    ]);
    const [all, again] = server.arrivals.map(({ body }) => JSON.parse(body) as { Statements: object[] });
    expect([all?.Statements, again?.Statements].map((one) => one?.length)).toEqual([2, 1]);
    expect(again?.Statements).toEqual(all?.Statements.slice(1));
  });

  it.each([
    ['the claim', ['ReplicatedWriteConflict', 'None']],
    ['an item', ['None', 'ReplicatedWriteConflict']],
  ])('as the reason of %s: the transaction is sent again', async (_whose, codes) => {
    const CancellationReasons = codes.map((Code) => ({ Code }));
    const cancelled = refuses('TransactionCanceledException', 400, {}, { CancellationReasons });
    server.answers(cancelled, wholeAnswer, answers(200, {}));
    const effect = effectCounters().effect([randomUUID()]);
    expect(await open().commit?.(completion(request()) as Completion, effect)).toBe('stored');
    const [first, ...others] = server.arrivals.map(({ body }) => body);
    expect(others).toEqual([first, first]);
  });
});
