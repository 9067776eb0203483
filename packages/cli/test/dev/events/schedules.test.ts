import { describe, expect, it } from '@jest/globals';
import { readSchedule } from '../../../src/dev/events/schedule-expression.ts';
import { startSchedules } from '../../../src/dev/events/start-schedules.ts';
import { readStack } from '../../../src/dev/template/read-stack.ts';
import type { DevStack } from '../../../src/dev/stack.ts';
import { manualClock } from 'batchlatch/testing';

const START = Date.UTC(2026, 0, 1);

function runs(expression: string, count: number, timeZone?: string): string[] {
  const next = readSchedule({ expression, service: 'events', timeZone }, START);
  const times: string[] = [];
  let at: number | undefined = START;
  while (times.length < count) {
    at = next(at);
    if (at === undefined) break;
    times.push(new Date(at).toISOString().slice(0, 16));
  }
  return times;
}

describe('A schedule runs at', () => {
  it.each<[string, string[]]>([
    ['rate(1 minute)', ['2026-01-01T00:01', '2026-01-01T00:02']],
    ['rate(5 minutes)', ['2026-01-01T00:05', '2026-01-01T00:10']],
    ['rate(12 hours)', ['2026-01-01T12:00', '2026-01-02T00:00']],
    ['rate(2 days)', ['2026-01-03T00:00', '2026-01-05T00:00']],
    // AWS's own examples.
    ['cron(0 10 * * ? *)', ['2026-01-01T10:00', '2026-01-02T10:00']],
    ['cron(15 12 * * ? *)', ['2026-01-01T12:15', '2026-01-02T12:15']],
    ['cron(0 18 ? * MON-FRI *)', ['2026-01-01T18:00', '2026-01-02T18:00', '2026-01-05T18:00']],
    ['cron(0 8 1 * ? *)', ['2026-01-01T08:00', '2026-02-01T08:00']],
    ['cron(0/15 * * * ? *)', ['2026-01-01T00:15', '2026-01-01T00:30']],
    ['cron(0/10 * ? * MON-FRI *)', ['2026-01-01T00:10', '2026-01-01T00:20']],
    ['cron(0/5 8-17 ? * MON-FRI *)', ['2026-01-01T08:00', '2026-01-01T08:05']],
    ['cron(0/30 0-2,20-23 ? * MON-FRI *)', ['2026-01-01T00:30', '2026-01-01T01:00']],
    // Sunday is 1.
    ['cron(0 9 ? * 1 *)', ['2026-01-04T09:00', '2026-01-11T09:00']],
    ['cron(0 9 ? * 3#2 *)', ['2026-01-13T09:00', '2026-02-10T09:00']],
    ['cron(0 9 ? * 6L *)', ['2026-01-30T09:00', '2026-02-27T09:00']],
    ['cron(0 9 ? * L *)', ['2026-01-03T09:00', '2026-01-10T09:00']],
    ['cron(0 9 L * ? *)', ['2026-01-31T09:00', '2026-02-28T09:00']],
    ['cron(0 9 3W * ? *)', ['2026-01-02T09:00', '2026-02-03T09:00']],
    ['cron(1/10 5/12 * * ? *)', ['2026-01-01T05:01', '2026-01-01T05:11']],
    ['cron(0 0 1 1/6 ? *)', ['2026-07-01T00:00', '2027-01-01T00:00']],
    ['cron(0 9 1 1 ? 2028/2)', ['2028-01-01T09:00', '2030-01-01T09:00']],
    ['cron(0 9 1 1 ? 2020)', []],
    ['at(2026-02-03T04:05:06)', ['2026-02-03T04:05']],
    ['at(2020-02-03T04:05:06)', []],
  ])('%s', (expression, expected) => {
    expect(runs(expression, Math.max(expected.length, 1))).toEqual(expected);
  });

  it('the time of its zone, in summer and in winter', () => {
    expect(runs('cron(0 9 1 1,7 ? *)', 2, 'Europe/Paris')).toEqual(['2026-01-01T08:00', '2026-07-01T07:00']);
    expect(runs('at(2026-07-01T09:00:00)', 1, 'America/New_York')).toEqual(['2026-07-01T13:00']);
  });
});

it.each([
  'rate(0 minutes)',
  'rate(1 minutes)',
  'rate(5 minute)',
  'rate(5 weeks)',
  'rate(five minutes)',
  'cron(* * * * *)',
  'cron(0 9 * * * *)',
  'cron(0 9 ? * ? *)',
  'cron(60 9 * * ? *)',
  'cron(0 9 ? * 8 *)',
  'cron(0 9 ? * 0-3 *)',
  'at(tomorrow)',
  'at(2026-13-01T00:00:00)',
  '* * * * *',
  'every(5 minutes)',
  '',
])('The schedule %p is refused', (expression) => {
  expect(() => readSchedule({ expression, service: 'events', timeZone: 'UTC' }, START)).toThrow(
    `The schedule \`${expression}\` is refused`,
  );
});

it('A time zone that nobody knows is refused', () => {
  expect(() =>
    readSchedule({ expression: 'cron(0 9 * * ? *)', service: 'events', timeZone: 'Europe/Atlantis' }, START),
  ).toThrow('is refused');
});

const read = (events: string): DevStack =>
  readStack(
    {
      file: '/shop/template.yaml',
      text: `Resources: { Fn: { Type: AWS::Serverless::Function, Properties: { Handler: a.b, Events: ${events} } } }`,
    },
    { sqs: 'http://127.0.0.1:1', dynamodb: '', eventbridge: '', kinesis: '' },
  );

const sendTo = (): void => undefined;

describe('The schedules of a template', () => {
  const stack = read(`{ Clock: { Type: Schedule, Properties: { Schedule: rate(5 minutes) } },
    Nightly: { Type: ScheduleV2, Properties: { ScheduleExpression: cron(0 2 * * ? *) } },
    Fixed: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 hour), Input: '{"a":1}', State: DISABLED } } }`);

  it('run at their time, with the events of rules and of the scheduler', async () => {
    const clock = manualClock(START);
    const delivered: unknown[] = [];
    const schedules = startSchedules({
      stack,
      clock,
      deliver: (_id, event) => delivered.push(event),
      sendTo,
    });
    await clock.advance(2 * 3_600_000);
    expect(delivered).toHaveLength(25);
    expect(delivered[0]).toEqual({
      version: '0',
      id: expect.any(String),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: '000000000000',
      time: '2026-01-01T00:05:00Z',
      region: 'us-east-1',
      resources: ['arn:aws:events:us-east-1:000000000000:rule/FnClock'],
      detail: {},
    });
    expect(delivered.find((event) => (event as { source: string }).source === 'aws.scheduler')).toMatchObject(
      {
        time: '2026-01-01T02:00:00Z',
        resources: ['arn:aws:scheduler:us-east-1:000000000000:schedule/default/FnNightly'],
        detail: '{}',
      },
    );
    schedules.stop();
    await clock.advance(3_600_000);
    expect(delivered).toHaveLength(25);
  });

  it('run when they are told to, also those that are turned off', () => {
    const clock = manualClock(START);
    const delivered: [string, unknown][] = [];
    const schedules = startSchedules({
      stack,
      clock,
      deliver: (id, event) => delivered.push([id, event]),
      sendTo,
    });
    schedules.fire('FnFixed');
    expect(delivered).toEqual([['Fn', { a: 1 }]]);
    expect(() => schedules.fire('None')).toThrow(RangeError);
    expect(schedules.all.map(({ id, nextMs }) => [id, nextMs])).toEqual([
      ['FnClock', START + 300_000],
      ['FnNightly', START + 7_200_000],
      ['FnFixed', undefined],
    ]);
    schedules.stop();
  });

  it('send to queues too', async () => {
    const clock = manualClock(START);
    const sent: unknown[] = [];
    const onQueues = readStack(
      {
        file: '/shop/template.yaml',
        text: `{ Resources: {
          Orders: { Type: AWS::SQS::Queue },
          Hourly: { Type: AWS::Events::Rule, Properties: { ScheduleExpression: rate(1 hour), Targets: [{ Id: a, Arn: { Fn::GetAtt: [Orders, Arn] } }] } },
          Daily: { Type: AWS::Scheduler::Schedule, Properties: { ScheduleExpression: rate(1 day), Target: { Arn: { Fn::GetAtt: [Orders, Arn] }, Input: '{"a":1}' } } } } }`,
      },
      { sqs: 'http://127.0.0.1:1', dynamodb: '', eventbridge: '', kinesis: '' },
    );
    const schedules = startSchedules({
      stack: onQueues,
      clock,
      deliver: () => undefined,
      sendTo: ({ queueArn }, event) => sent.push([queueArn, event]),
    });
    await clock.advance(3_600_000);
    schedules.fire('Daily');
    schedules.stop();
    expect(sent).toEqual([
      ['arn:aws:sqs:us-east-1:000000000000:shop-Orders', expect.objectContaining({ source: 'aws.events' })],
      ['arn:aws:sqs:us-east-1:000000000000:shop-Orders', { a: 1 }],
    ]);
  });

  it('that AWS would refuse are errors of the template', () => {
    expect(() => read('{ Clock: { Type: Schedule, Properties: { Schedule: rate(1 minutes) } } }')).toThrow(
      '/shop/template.yaml, line 1: Fn, event Clock: The schedule `rate(1 minutes)` is refused',
    );
  });
});

it('EventBridge Scheduler takes a unit in the singular or the plural for any number', () => {
  const next = readSchedule({ expression: 'rate(5 minute)', service: 'scheduler', timeZone: 'UTC' }, START);
  expect(next(START)).toBe(START + 5 * 60_000);
});
