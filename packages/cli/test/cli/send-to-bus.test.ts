import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/tool-base/clock.ts';
import { freePort } from '../../src/dev/emulators/free-port.ts';
import type { BusEvent } from '../../src/dev/events/event-envelope.ts';
import { type EventBus, startEventBus } from '../../src/dev/events/start-event-bus.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

describe('send --bus', () => {
  const got: { bus: string; event: BusEvent }[] = [];
  let running: EventBus;
  beforeAll(async () => {
    running = await startEventBus({
      place: `http://127.0.0.1:${await freePort()}`,
      clock: systemClock,
      stack: () => ({
        functions: [],
        queues: [],
        tables: [],
        streams: [],
        queueTargets: [],
        notes: [],
        invocationNotes: new Map(),
      }),
      deliver: () => undefined,
      sendTo: () => undefined,
      onEvent: (event, bus) => got.push({ bus, event }),
    });
  });
  afterAll(() => running.stop());
  beforeEach(() => void got.splice(0));

  const send = (args: readonly string[], how: Terminal = {}): Promise<Ended> =>
    runCommand(['send', '-', ...args], { env: { AWS_ENDPOINT_URL_EVENTBRIDGE: running.endpoint }, ...how });

  it('sends each line as the detail of an event, digit for digit', async () => {
    const input = Array.from({ length: 12 }, (_, index) => `{"orderId":"o-${index}"}\n`).join('');
    const args = ['--bus', 'shop', '--source', 'shop.orders', '--detail-type', 'OrderPlaced'];
    const ended = await send([...args, '--json'], { input });
    expect(JSON.parse(ended.out)).toMatchObject({ bus: 'shop', read: 12, sent: 12, failed: 0, requests: 2 });
    expect(got.map(({ bus, event }) => [bus, event.source, event['detail-type']])).toEqual(
      Array.from({ length: 12 }, () => ['shop', 'shop.orders', 'OrderPlaced']),
    );
    expect(new Set(got.map(({ event }) => (event.detail as { orderId: string }).orderId)).size).toBe(12);
  });

  it('sends whole events, as rules get them and as PutEvents takes them', async () => {
    const input = [
      {
        id: 'ignored',
        source: 'shop',
        'detail-type': 'Placed',
        time: '2026-01-02T03:04:05Z',
        resources: ['r'],
        detail: { n: 1 },
      },
      { Source: 'shop', DetailType: 'Placed', Detail: '{"n":2}', EventBusName: 'another' },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
    const ended = await send(['--bus', 'arn:aws:events:us-east-1:000000000000:event-bus/default'], { input });
    expect(ended).toEqual({ status: 0, out: '2 events were sent to bus default.\n', err: '' });
    expect(got).toMatchObject([
      { bus: 'default', event: { time: '2026-01-02T03:04:05Z', resources: ['r'], detail: { n: 1 } } },
      { bus: 'default', event: { source: 'shop', detail: { n: 2 } } },
    ]);
    expect(got[0]?.event.id).not.toBe('ignored');
  });

  it('tells the lines that are no events, and sends the others', async () => {
    const input = [
      '[]',
      '{"orderId":1}',
      '{"source":"shop","detail-type":"Placed","detail":"no object"}',
      '{"source":"shop","detail-type":"Placed","detail":{"n":12345678901234567890}}',
      '{"source":"shop","detail-type":"Placed","time":"noon","detail":{}}',
      '{"source":"aws.s3","detail-type":"Placed","detail":{}}',
      '{"source":"shop","detail-type":"Placed","detail":{}}',
    ].join('\n');
    const { status, out, err } = await send(['--bus', 'default'], { input });
    expect({ status, out }).toEqual({ status: 1, out: '1 event was sent to bus default, 6 lines not.\n' });
    expect(err.trim().split('\n')).toEqual([
      'standard input:1 is not a JSON object',
      'standard input:2 has no source and detail-type; lines that are details need --source and --detail-type',
      'standard input:3 MalformedDetail: Detail is malformed.',
      'standard input:4 has a number with more digits than JavaScript reads; make it a string',
      'standard input:5 has a time that is not a date',
      'standard input:6 NotAuthorizedForSourceException: Not authorized for the source.',
    ]);
    expect(got).toHaveLength(1);
  });

  it('sends nothing in a dry run', async () => {
    const args = ['--bus', 'default', '--source', 'shop', '--detail-type', 'Placed', '--dry-run'];
    const ended = await send(args, { input: '{}\n{}\n' });
    expect(ended).toEqual({ status: 0, out: '2 events would be sent to bus default.\n', err: '' });
    expect(got).toEqual([]);
  });

  it('ends where nobody answers', async () => {
    const env = { AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://127.0.0.1:9' };
    const args = ['--bus', 'default', '--source', 'shop', '--detail-type', 'Placed'];
    const ended = await send(args, { input: '{}', env });
    expect(ended).toMatchObject({ status: 1, err: expect.stringContaining('No server answers') });
  });
});
