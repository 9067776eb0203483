import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqsEvent } from 'batchlatch/testing';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';

describe('A handler of a NestJS provider', () => {
  let claims: ClaimsOnThisMachine;
  let project: Project;
  beforeAll(async () => {
    claims = await startClaims();
    project = new Project('nestjs');
    await project.install();
  });
  afterAll(() => claims.stop());

  it('runs with what the container has given to its provider', async () => {
    const event = sqsEvent([{ body: { orderId: 'A' } }, { messageId: 'm-2', body: 'not an order' }]);
    const { answers, lines } = await project.invoke('orders.ts', [event, event], claims.env);
    const answer = { batchItemFailures: [{ itemIdentifier: 'm-2' }] };
    expect(answers).toEqual([answer, answer]);
    expect(lines.filter((line) => line.startsWith('charged'))).toEqual(['charged A']);
  });

  it('has no errors of types', async () => {
    expect(await project.typeErrors()).toBe('');
  });
});
