import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqsEvent } from 'batchlatch/testing';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';

describe('A monorepo', () => {
  let claims: ClaimsOnThisMachine;
  let project: Project;
  beforeAll(async () => {
    claims = await startClaims();
    project = new Project('monorepo');
    const workspaces = ['--workspace', '@shop/orders', '--workspace', '@shop/refunds'];
    await project.install({ options: workspaces });
    await project.output('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund']); // what the root has
  });
  afterAll(() => claims.stop());

  it('has one copy of batchlatch for all of its packages', () => {
    expect(existsSync(path.join(project.folder, 'node_modules/batchlatch'))).toBe(true);
    for (const name of ['claims', 'orders', 'refunds']) {
      expect(existsSync(path.join(project.folder, 'packages', name, 'node_modules'))).toBe(false);
    }
  });

  it('keeps the claims of two functions apart in one table', async () => {
    const event = sqsEvent([{ body: { orderId: 'A', amount: 5 } }]);
    const orders = await project.invoke('packages/orders/handler.ts', [event, event], claims.env);
    const refunds = await project.invoke('packages/refunds/handler.ts', [event], claims.env);
    expect([...orders.lines, ...refunds.lines]).toEqual(['charged A', 'refunded A']);
    const done = { batchItemFailures: [] };
    expect([...orders.answers, ...refunds.answers]).toEqual([done, done, done]);
  });

  it("parks what an error says that one package imports, and another package's processor sees", async () => {
    const event = sqsEvent([{ messageId: 'm-1', body: { orderId: 'B', amount: 0 } }]);
    const { lines } = await project.invoke('packages/orders/handler.ts', [event], claims.env);
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toContain('parked');
  });

  it('has no errors of types', async () => {
    expect(await project.typeErrors()).toBe('');
  });
});
