import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqsEvent } from 'batchlatch/testing';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';

describe('A processor inside of middy', () => {
  let claims: ClaimsOnThisMachine;
  let project: Project;
  beforeAll(async () => {
    claims = await startClaims();
    project = new Project('middy');
    await project.install();
  });
  afterAll(() => claims.stop());

  it('answers through the middleware, with the context that the middleware saw', async () => {
    const failing = { messageId: 'm-2', body: 'not an order' };
    const events = [sqsEvent([{ body: { orderId: 'A' } }, failing]), sqsEvent([{ body: { orderId: 'A' } }])];
    const { answers, lines } = await project.invoke('orders.ts', events, claims.env);
    expect(answers).toEqual([{ batchItemFailures: [{ itemIdentifier: 'm-2' }] }, { batchItemFailures: [] }]);
    expect(lines.filter((line) => line.startsWith('charged'))).toEqual(['charged A']);
    const own = lines.filter((line) => line.includes('"charging"')).map((line) => JSON.parse(line) as object);
    expect(own).toMatchObject([{ function_name: 'orders', function_request_id: expect.any(String) }]);
  });

  it('has no errors of types', async () => {
    expect(await project.typeErrors()).toBe('');
  });
});
