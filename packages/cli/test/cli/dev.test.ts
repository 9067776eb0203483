import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import { adviceForFolder } from '../../src/cli/other-tools.ts';
import { sources } from '../dev/dev-function.ts';
import type { ClaimsJson, Session } from '../../src/console/api.ts';
import { type ConsoleBrowser, openConsole } from '../../../../test/support/console-browser.ts';
import { until } from '../../../../test/support/until.ts';
import { type Ended, runCommand } from './run-command.ts';

const TEMPLATE = `
Transform: AWS::Serverless-2016-10-31
Resources:
  Visits: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: 30 } }
  CountVisits:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs22.x
      CodeUri: .
      Handler: visits.handler
      Events:
        Visits: { Type: SQS, Properties: { Queue: !GetAtt Visits.Arn } }
        Left: { Type: EventBridgeRule, Properties: { Pattern: { source: [shop], detail-type: [VisitLeft] } } }
        Web: { Type: HttpApi, Properties: { Method: GET, Path: /visits } }
`;
const CLAIMS_TABLE = `
  Claims:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
      KeySchema: [{ AttributeName: id, KeyType: HASH }]
      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }
`;
const handlerThat = (says: string): string =>
  `export const handler = async ({ Records = [{}], detail }) => { console.log('${says}', Records[0].body ?? detail.visitId); if (Records[0].body === 'bad') throw new Error('no visit'); };`;

describe('batchlatch dev', () => {
  let stopping: AbortController | undefined;
  let ended: Promise<Ended> | undefined;
  let out = '';
  let sqs: SQSClient | undefined;
  const removals: (() => Promise<void>)[] = [];
  afterEach(async () => {
    stopping?.abort();
    await ended;
    sqs?.destroy();
    for (const remove of removals.splice(0)) await remove();
  });

  /** Resolves when the start table is there. */
  async function start(...args: readonly string[]): Promise<void> {
    out = '';
    stopping = new AbortController();
    ended = runCommand(['dev', ...args], { signal: stopping.signal, onText: (text) => (out += text) });
    await Promise.race([shown(args.includes('--json') ? '"ready"' : 'export AWS_REGION'), ended]);
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: endpointOf('SQS') });
  }

  function endpointOf(service: string): string {
    const endpoint = new RegExp(`AWS_ENDPOINT_URL_${service}["=:]+(http://[\\d.:]+)`).exec(out)?.[1];
    if (endpoint === undefined) throw new Error(out);
    return endpoint;
  }

  const shown = (text: string | RegExp): Promise<void> =>
    until(`it says ${String(text)}`, () => (typeof text === 'string' ? out.includes(text) : text.test(out)));

  async function send(queue: RegExp, body: string): Promise<void> {
    const [QueueUrl] = queue.exec(out) ?? [];
    await sqs?.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
  }

  it("runs the project's own functions, with a line for each order and a console", async () => {
    await start('--template', 'template.yaml', '--function', 'OrdersFunction', '--console');
    const order = { customerId: 'c', amountCents: 100, currency: 'EUR' };
    await send(/http\S+-orders\b/, JSON.stringify({ orderId: 'order-17', ...order }));
    await shown(/^\d\d:\d\d:\d\d OrdersFunction {2}order-17 {2}completed {2}\d+ ms$/m);
    const sent = await runCommand(['send', '-', '--queue', 'OrdersQueue'], {
      input: JSON.stringify({ orderId: 'order-17', ...order }),
      env: { AWS_ENDPOINT_URL_SQS: endpointOf('SQS') },
    });
    expect(sent.out).toMatch(/^1 message was sent to \S+-orders\.\n$/);
    await shown(/OrdersFunction {2}order-17 {2}duplicate$/m);
    await send(/http\S+-orders\b/, JSON.stringify({ orderId: 'order-18', ...order, amountCents: -1 }));
    await shown(/OrdersFunction {2}order-18 {2}parked {2}\d+ ms {2}PermanentError: /m);
    await shown(/^Console {2}http:/m);
    await releaseIn(await openConsole(/^Console {2}(\S+)$/m.exec(out)?.[1] ?? ''));
    stopping?.abort();
    expect((await ended)?.status).toBe(130);
  });

  /** Looks at the parked order in the console, and releases it. */
  async function releaseIn(browser: ConsoleBrowser): Promise<void> {
    const { queues, allowChanges } = await browser.get<Session>('/api/session');
    expect(allowChanges).toBe(true);
    const roles = queues.map(({ name, isDeadLetter }) => `${name.split('-').at(-1)} ${isDeadLetter}`);
    expect(roles).toEqual(['orders false', 'OrdersDeadLetterQueue true', 'OrderPlacedDeadLetterQueue true']);
    const { claims, readBy } = await browser.get<ClaimsJson>('/api/claims?state=parked');
    expect([claims.length, readBy]).toEqual([1, 'index']);
    const filter = { state: 'parked' };
    const { plan } = await browser.post<{ plan: string }>('/api/plan', { operation: 'release', filter });
    await browser.post('/api/changes', { plan, reason: 'the amount is right now' });
    await until('it is released', async () => {
      const found = await browser.get<ClaimsJson>(
        `/api/claims?by=key&q=${encodeURIComponent(claims[0]?.key ?? '')}`,
      );
      return found.claims[0]?.status === 'FAILED';
    });
    await shown('1 of 1 claim released by ann@laptop: "the amount is right now"');
  }

  it('has a line for each invocation of another handler, and reloads it', async () => {
    const code = await sources({ 'template.yaml': TEMPLATE, 'visits.mjs': handlerThat('first') });
    removals.push(code.remove);
    await start('-t', path.join(code.folder, 'template.yaml'));
    await send(/http\S+Visits\b/, 'a');
    await shown(/^\d\d:\d\d:\d\d CountVisits {2}1 record {2}done {2}\d+ ms$/m);
    await shown('CountVisits | first a');
    await runCommand(['send', '-', '--bus', 'default', '--source', 'shop', '--detail-type', 'VisitLeft'], {
      input: '{"visitId":"v-1"}',
      env: { AWS_ENDPOINT_URL_EVENTBRIDGE: endpointOf('EVENTBRIDGE') },
    });
    await shown('CountVisits | first v-1');
    const [, address = ''] = /^CountVisits {2}http {4}GET (\S+\/visits)$/m.exec(out) ?? [];
    expect((await fetch(`${address}?token=secret`)).status).toBe(502);
    await shown(/CountVisits {2}GET \/visits {2}failed {2}\d+ ms {2}TypeError: /);
    await shown(/CountVisits {2}GET \/visits {2}502 {2}\d+ ms {2}the function failed\n/);
    await writeFile(path.join(code.folder, 'visits.mjs'), 'export const handler = (;');
    await shown(/CountVisits {2}not built {2}the code before it stays in use\n {2}visits\.mjs:1:/);
    await send(/http\S+Visits\b/, 'b');
    await shown('CountVisits | first b');
    await writeFile(path.join(code.folder, 'visits.mjs'), handlerThat('second'));
    await shown(/CountVisits {2}reloaded/);
    await send(/http\S+Visits\b/, 'bad');
    await shown('CountVisits | second bad');
    await shown(/CountVisits {2}1 record {2}failed {2}\d+ ms {2}Error: no visit\n/);
  });

  const REPORTING = `
Transform: AWS::Serverless-2016-10-31
Resources:
  Visits: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: 30 } }
  CountVisits:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs22.x
      CodeUri: .
      Timeout: 1
      Handler: visits.handler
      Events:
        Visits:
          Type: SQS
          Properties:
            Queue: !GetAtt Visits.Arn
            MaximumBatchingWindowInSeconds: 2
            FunctionResponseTypes: [ReportBatchItemFailures]
  OnPaid:
    Type: AWS::Events::Rule
    Properties: { EventPattern: { source: [shop] }, Targets: [{ Id: a, Arn: !GetAtt Visits.Arn }] }
`;
  const REPORTS = `export const handler = async ({ Records }) => ({ batchItemFailures: Records
    .filter(({ body }) => body.includes('bad')).map(({ messageId }) => ({ itemIdentifier: messageId })) });`;

  it('says of each record that the answer gives back that it failed', async () => {
    const code = await sources({ 'template.yaml': REPORTING, 'visits.mjs': REPORTS });
    removals.push(code.remove);
    await start('-t', path.join(code.folder, 'template.yaml'));
    for (const visitId of ['bad-1', 'good-1']) await send(/http\S+Visits\b/, JSON.stringify({ visitId }));
    await shown(/CountVisits {2}bad-1 {2}failed {2}\d+ ms {2}reported in batchItemFailures\n/);
    await shown(/CountVisits {2}(1 record|good-1) {2}done {2}\d+ ms\n/);
    expect(out).not.toMatch(/bad-1 {2}done/);
  });

  it('hands events to a queue whose rule matches, and so to its function', async () => {
    const code = await sources({ 'template.yaml': REPORTING, 'visits.mjs': handlerThat('got') });
    removals.push(code.remove);
    await start('-t', path.join(code.folder, 'template.yaml'));
    expect(out).toMatch(/^Visits {7}rule {4}bus default$/m);
    await runCommand(['send', '-', '--bus', 'default', '--source', 'shop', '--detail-type', 'Paid'], {
      input: '{"visitId":"v-1"}',
      env: { AWS_ENDPOINT_URL_EVENTBRIDGE: endpointOf('EVENTBRIDGE') },
    });
    await shown(/CountVisits \| got .*"detail":\{"visitId":"v-1"\}/);
  });

  it('lets a debugger attach to the only function, or to the one that is named', async () => {
    const code = await sources({ 'template.yaml': TEMPLATE, 'visits.mjs': handlerThat('first') });
    removals.push(code.remove);
    await start('-t', path.join(code.folder, 'template.yaml'), '--inspect');
    const [, place] = /^Debugger of CountVisits {2}(127\.0\.0\.1:\d+) /m.exec(out) ?? [];
    await until('the debugger listens', async () => {
      const answer = await fetch(`http://${place}/json/list`).catch(() => undefined);
      return answer?.ok === true;
    });
    for (const [args, message] of [
      [['--inspect'], 'Say which function a debugger attaches to, with --inspect=NAME: OrdersFunction, '],
      [['--inspect=Nobody'], 'The template has no function Nobody that runs here; it has OrdersFunction, '],
    ] as const) {
      expect((await runCommand(['dev', ...args])).err).toContain(message);
    }
  });

  it.each([
    ['cdk.json', 'run `npx cdk synth`'],
    ['serverless.yml', 'belongs to the Serverless Framework'],
    ['sst.config.ts', 'use `sst dev`, or write'],
    ['main.tf', 'write the functions and their queues into a SAM template.yaml'],
    ['queues.tf', 'queues.tf belongs to Terraform'],
  ])('says what to do with %s', async (name, what) => {
    const code = await sources({ [name]: '{}' });
    const { status, err } = await runCommand(['dev', '--template', path.join(code.folder, name)]);
    expect([status, err.trim().split('\n').length]).toEqual([2, 1]);
    expect(err).toContain(what);
    if (name !== 'queues.tf') expect(adviceForFolder(code.folder)?.dev).toContain(what);
    await code.remove();
  });

  it('writes a JSON document in each line where that is asked for', async () => {
    const code = await sources({
      'template.yaml': `${TEMPLATE}${CLAIMS_TABLE}`,
      'visits.mjs': handlerThat('first'),
    });
    removals.push(code.remove);
    await start('-t', path.join(code.folder, 'template.yaml'), '--json', '--no-reload', '--console');
    await send(/http[^"]+Visits/, 'a');
    await shown('"invocation"');
    const [, address = ''] = /"ServerlessHttpApi":"([^"]+)"/.exec(out) ?? [];
    expect((await fetch(`${address}/nothing?token=secret`)).status).toBe(404);
    await shown('"request"');
    stopping?.abort();
    const lines = ((await ended)?.out ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      { type: 'build', time: expect.any(String), function: 'CountVisits', isFirst: true },
      expect.objectContaining({
        type: 'ready',
        console: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=/),
        functions: [
          { function: 'CountVisits', source: 'sqs', from: expect.stringContaining('http') },
          { function: 'CountVisits', source: 'rule', from: 'bus default' },
          { function: 'CountVisits', source: 'http', from: `GET ${address}/visits` },
        ],
        http: { ServerlessHttpApi: address },
      }),
      { type: 'log', time: expect.any(String), function: 'CountVisits', stream: 'stdout', line: 'first a' },
      expect.objectContaining({
        type: 'invocation',
        function: 'CountVisits',
        records: 1,
        end: 'returned',
        durationMs: expect.any(Number),
      }),
      expect.objectContaining({ type: 'request', method: 'GET', path: '/nothing', status: 404 }),
    ]);
  });

  it('says what is wrong with the template', async () => {
    const code = await sources({ 'template.yaml': TEMPLATE });
    removals.push(code.remove);
    stopping = new AbortController();
    ended = runCommand(['dev', '-t', path.join(code.folder, 'template.yaml')], { signal: stopping.signal });
    expect(await ended).toMatchObject({ status: 1, err: expect.stringContaining('has no module') });
    await writeFile(path.join(code.folder, 'visits.mjs'), handlerThat('never'));
    await writeFile(
      path.join(code.folder, 'template.yaml'),
      TEMPLATE.replace('Queue: !GetAtt Visits.Arn', 'Queue: !GetAtt Visits.Arn, BatchSize: 11'),
    );
    ended = runCommand(['dev', '-t', path.join(code.folder, 'template.yaml')], { signal: stopping.signal });
    expect(await ended).toMatchObject({ status: 2, err: expect.stringContaining('from 1 to 10, got `11`') });
    ended = runCommand(['dev', '-t', 'nothing.yaml'], { signal: stopping.signal });
    expect(await ended).toMatchObject({
      status: 2,
      err: expect.stringContaining('nothing.yaml does not exist'),
    });
    await writeFile(path.join(code.folder, 'template.yaml'), TEMPLATE);
    ended = runCommand(['dev', '-t', path.join(code.folder, 'template.yaml'), '--console'], {
      signal: stopping.signal,
    });
    expect(await ended).toMatchObject({ status: 2, err: expect.stringContaining('has no claims table') });
    ended = runCommand(['dev', '--console-table', 'Nothing'], { signal: stopping.signal });
    expect(await ended).toMatchObject({
      status: 2,
      err: expect.stringContaining('no table Nothing for the console; it has ClaimsTable, ChargesTable'),
    });
    ended = runCommand(['dev', '--function', 'Nobody'], { signal: stopping.signal });
    expect(await ended).toMatchObject({ status: 1, err: expect.stringContaining('no function Nobody') });
  });
});
