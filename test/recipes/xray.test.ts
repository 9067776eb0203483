import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqsEvent } from 'batchlatch/testing';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';
import { startXRayDaemon, type XRayDaemon } from './x-ray-daemon.ts';

describe("X-Ray's SDK beside it", () => {
  let claims: ClaimsOnThisMachine;
  let daemon: XRayDaemon;
  let project: Project;
  beforeAll(async () => {
    [claims, daemon] = await Promise.all([startClaims(), startXRayDaemon()]);
    project = new Project('xray');
    await project.install();
  });
  afterAll(() => Promise.all([claims.stop(), daemon.stop()]));

  it('has a subsegment for each record', async () => {
    const event = sqsEvent([
      { messageId: 'm-1', body: { orderId: 'A' } },
      { messageId: 'm-2', body: { orderId: 'B' } },
    ]);
    const { answers, lines } = await project.invoke('orders.ts', [event], { ...claims.env, ...daemon.env });
    expect(answers).toEqual([{ batchItemFailures: [] }]);
    expect(lines).toEqual(expect.arrayContaining(['charged A', 'charged B']));
    const sent = daemon.segments.map(({ name, annotations }) => [name, annotations]);
    expect(sent).toHaveLength(2);
    expect(sent).toEqual(
      expect.arrayContaining([
        ['process order', { recordId: 'm-1', attempt: 1 }],
        ['process order', { recordId: 'm-2', attempt: 1 }],
      ]),
    );
  });

  it('has no errors of types', async () => {
    expect(await project.typeErrors()).toBe('');
  });
});
