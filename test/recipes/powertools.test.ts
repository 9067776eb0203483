import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqsEvent } from 'batchlatch/testing';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';
import { startXRayDaemon, type XRayDaemon } from './x-ray-daemon.ts';

/** In place of the versions that the recipe's package.json names. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  newest: [],
  '2.30': ['logger@2.30.0', 'metrics@2.30.0', 'tracer@2.30.0'],
  // With its own `commons`: the range of these takes the newest, in which they do not find what they import.
  '2.11': ['logger@2.11.0', 'metrics@2.11.0', 'tracer@2.11.0', 'commons@2.11.0'],
};

describe.each(Object.entries(VERSIONS))('Powertools, %s, beside it', (version, packages) => {
  let claims: ClaimsOnThisMachine;
  let daemon: XRayDaemon;
  let project: Project;
  beforeAll(async () => {
    [claims, daemon] = await Promise.all([startClaims(), startXRayDaemon()]);
    project = new Project('powertools');
    await project.install({ beside: packages.map((name) => `@aws-lambda-powertools/${name}`) });
  });
  afterAll(() => Promise.all([claims.stop(), daemon.stop()]));

  it('logs, counts and traces what happens to each record', async () => {
    const events = [
      sqsEvent([{ body: { orderId: 'A' } }, { body: { orderId: 'B' } }]),
      sqsEvent([{ body: { orderId: 'A' } }]),
    ];
    const { answers, lines } = await project.invoke('orders.ts', events, { ...claims.env, ...daemon.env });
    expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    expect(lines.filter((line) => line.startsWith('charged')).toSorted()).toEqual(['charged A', 'charged B']);

    const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
    const own = logged.filter(({ message }) => message === 'charging');
    expect(own.map(({ service, orderId }) => `${String(service)} ${String(orderId)}`).toSorted()).toEqual([
      'orders A',
      'orders B',
    ]);
    const finished = logged.filter(({ message }) => message === 'batchFinished');
    expect(finished).toMatchObject([
      { service: 'orders', outcomes: { completed: 2 } },
      { service: 'orders', outcomes: { duplicate: 1 } },
    ]);

    const metrics = logged.filter(({ _aws }) => _aws !== undefined);
    expect(metrics).toMatchObject([
      { Completed: 2, OrdersCharged: expect.anything(), service: 'orders' },
      { Duplicates: 1, Completed: 0 },
    ]);
    expect(metrics[0]?._aws?.CloudWatchMetrics[0]?.Namespace).toBe('shop');

    const records = daemon.segments.filter(({ name }) => name.startsWith('process '));
    expect(records).toHaveLength(2);
    for (const { annotations } of records) {
      expect(annotations).toMatchObject({ recordId: expect.any(String), attempt: 1 });
      expect(annotations?.['chargeId']).toMatch(/^charge-[AB]$/);
    }
  });

  it('has the types that the observer wants', async () => {
    expect([version, await project.typeErrors()]).toEqual([version, '']);
  });
});

interface Line extends Readonly<Record<string, unknown>> {
  readonly message?: string;
  readonly _aws?: { readonly CloudWatchMetrics: readonly { readonly Namespace: string }[] };
}
