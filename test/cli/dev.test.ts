import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import { sources } from '../dev/dev-function.ts';
import { until } from '../support/until.ts';
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
`;
const handlerThat = (says: string): string =>
  `export const handler = async ({ Records = [{}], detail }) => { console.log('${says}', Records[0].body ?? detail.visitId); if (Records[0].body === 'bad') throw new Error('no visit'); };`;

describe('batchlatch dev', () => {
  let stopping: AbortController;
  let ended: Promise<Ended>;
  let out = '';
  let sqs: SQSClient | undefined;
  const removals: (() => Promise<void>)[] = [];
  afterEach(async () => {
    stopping.abort();
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

  it("runs the project's own functions, with a line for each order", async () => {
    await start('--template', 'template.yaml', '--function', 'OrdersFunction');
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
    stopping.abort();
    expect((await ended).status).toBe(130);
  });

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

  it('writes a JSON document in each line where that is asked for', async () => {
    const code = await sources({ 'template.yaml': TEMPLATE, 'visits.mjs': handlerThat('first') });
    removals.push(code.remove);
    await start('-t', path.join(code.folder, 'template.yaml'), '--json', '--no-reload');
    await send(/http[^"]+Visits/, 'a');
    await shown('"invocation"');
    stopping.abort();
    const lines = (await ended).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      { type: 'build', time: expect.any(String), function: 'CountVisits', isFirst: true },
      expect.objectContaining({
        type: 'ready',
        functions: [
          { function: 'CountVisits', source: 'sqs', from: expect.stringContaining('http') },
          { function: 'CountVisits', source: 'rule', from: 'bus default' },
        ],
      }),
      { type: 'log', time: expect.any(String), function: 'CountVisits', stream: 'stdout', line: 'first a' },
      expect.objectContaining({
        type: 'invocation',
        function: 'CountVisits',
        records: 1,
        end: 'returned',
        durationMs: expect.any(Number),
      }),
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
    ended = runCommand(['dev', '--function', 'Nobody'], { signal: stopping.signal });
    expect(await ended).toMatchObject({ status: 1, err: expect.stringContaining('no function Nobody') });
  });
});
