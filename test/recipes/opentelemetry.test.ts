import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqsEvent } from 'batchlatch/testing';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';

describe('OpenTelemetry beside it', () => {
  let claims: ClaimsOnThisMachine;
  let project: Project;
  beforeAll(async () => {
    claims = await startClaims();
    project = new Project('opentelemetry');
    await project.install();
  });
  afterAll(() => claims.stop());

  it("has the handler's spans below those of their record", async () => {
    const { lines } = await project.invoke(
      'traced-orders.ts',
      [sqsEvent([{ body: { orderId: 'A' } }])],
      claims.env,
    );
    const spans = JSON.parse(lines.find((line) => line.startsWith('spans '))?.slice(6) ?? '[]') as Span[];
    const byId = new Map(spans.map((span) => [span.id, span]));
    const path = (span: Span | undefined): string[] =>
      span === undefined ? [] : [...path(byId.get(span.parentId ?? '')), span.name];
    expect(path(spans.find(({ name }) => name === 'charge'))).toEqual([
      'batch orders',
      'process orders',
      'run',
      'charge',
    ]);
    expect(lines).toContain('charged A');
  });

  it('has no errors of types', async () => {
    expect(await project.typeErrors()).toBe('');
  });
});

interface Span {
  readonly name: string;
  readonly id: string;
  readonly parentId?: string;
}
