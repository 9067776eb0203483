import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emulatorEnvironment } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { describeWith } from '../../../test/support/components/describe-with.ts';
import { componentNamed } from '../../../test/support/components/index.ts';
import { checkSignature } from '../../../test/support/request-signature.ts';
import type { Agent, OwnSpans } from './agent.ts';
import { type Collector, startCollector } from './collector.ts';
import { type Batch, type Ended, type Format, runBeside } from './run-beside.ts';
import { type DynamoDBCall, type Services, startServices } from './services.ts';

const RECORDS = 10;
const FORMATS: readonly (readonly [string, Format])[] = [
  ['an ES module', 'esm'],
  ['CommonJS', 'cjs'],
];

/** What a program tells of a batch. */
type Told = Readonly<Record<string, unknown>>;

/** Runs the programs beside the agent, and looks at what arrived at DynamoDB, at SQS and at the agent's collector. */
export function describeAgent(title: string, agent: Agent): void {
  const needed = [`agent-${agent.name}`, ...(agent.node === undefined ? [] : [`node${agent.node}`])];
  describeWith(needed.map(componentNamed), `Beside ${title}`, () => {
    describe.each(FORMATS)('%s', (_kind, format) => {
      describeProgram(agent, format, undefined);
    });
    const { ownSpans } = agent;
    if (ownSpans === undefined) return;
    describe.each(FORMATS)('%s with spans of our own', (_kind, format) => {
      describeProgram(agent, format, ownSpans);
    });
  });
}

const spanName = (table: string): string => `BatchExecuteStatement ${table}`;

function describeProgram(agent: Agent, format: Format, ownSpans: OwnSpans | undefined): void {
  let services: Services;
  let collector: Collector;
  let tables: Record<Batch, string>;
  let ended: Ended;
  let told: Partial<Record<Batch, Told>>;

  beforeAll(async () => {
    [services, collector] = await Promise.all([startServices(), startCollector()]);
    const [direct = '', client = '', worker = ''] = await services.createTables(3);
    tables = { direct, client, worker };
    const orders = Array.from({ length: RECORDS }, (_, n) => ({ orderId: `order-${n}` }));
    const queueUrl = await services.createQueue(orders);
    ended = await runBeside(
      agent,
      format,
      { tables, queueUrl, hasOwnSpans: ownSpans !== undefined },
      {
        AWS_ENDPOINT_URL_DYNAMODB: services.dynamoDB.endpoint,
        ...agent.env(collector.address),
        ...ownSpans?.env,
      },
    );
    const line = ended.stdout.split('\n').findLast((text) => text.startsWith('{"direct"'));
    if (line === undefined) throw new Error(`The program ended with ${ended.status}: ${ended.stderr}`);
    told = JSON.parse(line) as typeof told;
  });
  afterAll(() => Promise.all([services?.stop(), collector?.stop()]));

  const callsOf = (batch: Batch): DynamoDBCall[] =>
    services.dynamoDB.calls.filter(({ body }) => body.includes(tables[batch]));

  /** Each record was claimed, run and completed once. */
  async function expectOnce(batch: Batch): Promise<void> {
    expect(told[batch]).toEqual({ ran: RECORDS, failed: 0, errors: [] });
    expect(await services.statusesIn(tables[batch])).toEqual(Array(RECORDS).fill('COMPLETED'));
    const statements = callsOf(batch).flatMap(({ input }) => input.Statements ?? []);
    const verbs = statements.map(({ Statement }) => Statement?.split(' ')[0]);
    expect(verbs.filter((verb) => verb === 'INSERT')).toHaveLength(RECORDS);
    expect(verbs.filter((verb) => verb === 'UPDATE')).toHaveLength(RECORDS);
    expect(verbs).toHaveLength(2 * RECORDS);
  }

  it('claims and completes ten records by the direct transport in two requests', async () => {
    await expectOnce('direct');
    const attempts = callsOf('direct').map(({ headers }) => headers['amz-sdk-request']);
    expect(attempts).toEqual([undefined, undefined]);
  });

  it('claims, completes and deletes ten messages through the worker', async () => {
    await expectOnce('worker');
    const deletions = services.sqs.calls.filter(({ operation }) => operation === 'DeleteMessageBatch');
    expect(deletions.flatMap(({ input }) => input.Entries ?? [])).toHaveLength(RECORDS);
  });

  it('sends requests whose signatures are valid', () => {
    const calls = [...services.dynamoDB.calls, ...services.sqs.calls];
    for (const call of calls) checkSignature(call, emulatorEnvironment.AWS_SECRET_ACCESS_KEY);
  });

  it('ends by itself, and connects to nothing outside of this machine', () => {
    expect(ended).toMatchObject({ status: 0, outside: [] });
  });

  const reported = (): string =>
    agent.report.in?.(collector.collected(), ended.stdout) ?? collector.collected();

  if (ownSpans !== undefined) {
    it('has one span for each request for claims', () => {
      const texts = new Set([tables.direct, tables.worker].map(ownSpans.of ?? spanName));
      const spans = [...texts].reduce((sum, text) => sum + reported().split(text).length - 1, 0);
      expect(spans).toBe(callsOf('direct').length + callsOf('worker').length);
    });

    it("has no span of the agent's HTTP instrumentation for any request", () => {
      expect(reported()).not.toMatch(ownSpans.http);
      if (ownSpans.passesTrace === true) return;
      for (const { headers } of callsOf('direct')) expect(headers).not.toHaveProperty(agent.header ?? '');
    });
    return;
  }

  it('claims and completes ten records with a given client in two requests', async () => {
    await expectOnce('client');
    const attempts = callsOf('client').map(({ headers }) => headers['amz-sdk-request']);
    expect(attempts).toEqual([expect.stringMatching(/^attempt=1;/), expect.stringMatching(/^attempt=1;/)]);
  });

  it("is seen by the agent, which passes its trace on if it does so with AWS's requests", () => {
    const { header, report, ownSpans: own } = agent;
    const { host } = new URL(services.dynamoDB.endpoint);
    expect(reported().includes(report.of?.(host) ?? host)).toBe(true);
    if (own !== undefined) expect(reported()).toMatch(own.http);
    for (const { headers } of callsOf('direct')) {
      if (header !== undefined) expect(headers).toHaveProperty(header);
    }
  });
}
