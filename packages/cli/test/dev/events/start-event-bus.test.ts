import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusEvent } from '../../../src/dev/events/event-envelope.ts';
import { type EventBus, startEventBus } from '../../../src/dev/events/start-event-bus.ts';
import { choosePlaces, nameInArn } from '../../../src/dev/places.ts';
import { readStack } from '../../../src/dev/template/read-stack.ts';
import { manualClock } from 'batchlatch/testing';

const TEMPLATE = `
Resources:
  Orders: { Type: AWS::SQS::Queue }
  Steps: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true, ContentBasedDeduplication: true } }
  OnQueues: { Type: AWS::Events::Rule, Properties: { EventPattern: { source: [warehouse] }, Targets: [
    { Id: a, Arn: !GetAtt Orders.Arn }, { Id: b, Arn: !GetAtt Steps.Arn, Input: '{"fixed":1}', SqsParameters: { MessageGroupId: all } } ] } }
  Bus: { Type: AWS::Events::EventBus, Properties: { Name: other } }
  Paid: { Type: AWS::Serverless::Function, Properties: { Handler: a.b, Events: {
    OnPaid: { Type: EventBridgeRule, Properties: { Pattern: { detail: { kind: [paid] } } } },
    Fixed: { Type: EventBridgeRule, Properties: { Pattern: { source: [shop] }, Input: '{"fixed":1}' } },
    Off: { Type: EventBridgeRule, Properties: { Pattern: { source: [shop] }, State: DISABLED } },
    Other: { Type: EventBridgeRule, Properties: { Pattern: { source: [shop] }, EventBusName: !Ref Bus } } } } }
`;

let bus: EventBus;
let delivered: [string, unknown][] = [];
let sent: unknown[] = [];
let seen: [string, readonly string[]][] = [];
beforeAll(async () => {
  const places = await choosePlaces();
  const stack = readStack({ file: '/shop/template.yaml', text: TEMPLATE }, places);
  bus = await startEventBus({
    place: places.eventbridge,
    clock: manualClock(),
    stack: () => stack,
    deliver: (id, event) => delivered.push([id, event]),
    sendTo: ({ queueArn, messageGroupId }, event) => sent.push([nameInArn(queueArn), messageGroupId, event]),
    onEvent: (_event: BusEvent, name, rules) => seen.push([name, rules]),
  });
});
afterAll(() => bus.stop());
beforeEach(() => {
  delivered = [];
  sent = [];
  seen = [];
});

const entry = (detail: object, more: object = {}): object => ({
  Source: 'shop',
  DetailType: 'Order',
  Detail: JSON.stringify(detail),
  ...more,
});

async function call(
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      bus.endpoint,
      { method: 'POST', headers: { 'x-amz-target': 'AWSEvents.PutEvents', ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('The event bus', () => {
  it('hands an event to the functions whose rules match, with their constant input', async () => {
    const { status, body } = await call(JSON.stringify({ Entries: [entry({ kind: 'paid' })] }));
    expect({ status, body }).toEqual({
      status: 200,
      body: { FailedEntryCount: 0, Entries: [{ EventId: expect.any(String) }] },
    });
    expect(delivered).toEqual([
      ['Paid', expect.objectContaining({ source: 'shop', detail: { kind: 'paid' } })],
      ['Paid', { fixed: 1 }],
    ]);
    expect(seen).toEqual([['default', ['PaidOnPaid', 'PaidFixed']]]);
  });

  it('sends an event to the queues whose rules match', async () => {
    await call(JSON.stringify({ Entries: [entry({ kind: 'packed' }, { Source: 'warehouse' })] }));
    expect(sent).toEqual([
      [
        'shop-Orders',
        undefined,
        expect.objectContaining({ source: 'warehouse', detail: { kind: 'packed' } }),
      ],
      ['shop-Steps.fifo', 'all', { fixed: 1 }],
    ]);
    expect([delivered, seen]).toEqual([[], [['default', ['OnQueues', 'OnQueues.b']]]]);
  });

  it('keeps buses apart, and takes what no rule wants', async () => {
    await call(
      JSON.stringify({
        Entries: [entry({}, { EventBusName: 'other' }), entry({}, { EventBusName: 'none' })],
      }),
    );
    expect(seen).toEqual([
      ['other', ['PaidOther']],
      ['none', []],
    ]);
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['no JSON', '{', {}, 400, 'SerializationException'],
    ['a refused request', '{"Entries":[]}', {}, 400, 'ValidationException'],
    ['another operation', '{}', { 'x-amz-target': 'AWSEvents.PutRule' }, 400, 'UnknownOperationException'],
    [
      'a page that has its address under another name',
      '{}',
      { host: 'evil.example' },
      403,
      'AccessDeniedException',
    ],
    ['a page of the web', '{}', { origin: 'https://evil.example' }, 403, 'AccessDeniedException'],
    ['a body without end', `"${'x'.repeat(2_100_000)}"`, {}, 413, 'RequestTooLarge'],
  ])('refuses %s', async (_name, text, headers, status, type) => {
    expect(await call(text, headers)).toEqual({ status, body: expect.objectContaining({ __type: type }) });
    expect(delivered).toEqual([]);
  });
});
