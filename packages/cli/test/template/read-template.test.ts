import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { modelOf } from './model-of.ts';

it('a template is queues, tables, functions, mappings and what triggers them', () => {
  const model = modelOf(readFileSync('packages/cli/test/doctor/templates/good.yaml', 'utf8'));
  const idsOf = (list: readonly { readonly id: string }[]): string => list.map(({ id }) => id).join(' ');
  expect({
    queues: idsOf(model.queues),
    tables: idsOf(model.tables),
    functions: idsOf(model.functions),
    mappings: idsOf(model.mappings),
    triggers: idsOf(model.triggers),
    subscribers: idsOf(model.subscribers),
    streams: idsOf(model.streams),
  }).toEqual({
    queues: 'OrdersQueue OrdersDeadLetters LedgerQueue LedgerDeadLetters FailedEvents',
    tables: 'ClaimsTable OutboxTable',
    functions:
      'OrdersFunction LedgerFunction ChargesFunction OrderPlacedFunction ShippedFunction RelayFunction SweepFunction MonitorFunction WebsiteFunction',
    mappings:
      'OrdersFunction.Orders ChargesFunction.Charges ChargesFunction.PageViews LedgerMapping RelayMapping',
    triggers: 'OrderPlacedFunction.OrderPlaced MonitorFunction.EveryFiveMinutes SweepSchedule',
    subscribers: 'ShippedSubscriber',
    streams: '',
  });
  expect(model.skipped).toEqual([]);
  expect(model.eventTypes.toSorted()).toEqual(['EventBridgeRule', 'Kinesis', 'MSK', 'SQS', 'ScheduleV2']);
});

it('what is in no other list is among the resources, and what cannot be read is said', () => {
  const { resources, skipped } = modelOf(`Resources:
  Pipe: { Type: AWS::Pipes::Pipe }
  Fn: { Type: AWS::Serverless::Function, Properties: { Events: { T: { Type: SNS, Properties: { Topic: t, SqsSubscription: true } } } } }
  Macro: []
`);
  expect(resources).toContainEqual({ id: 'Pipe', name: 'Pipe', type: 'AWS::Pipes::Pipe' });
  expect(skipped).toEqual([
    'Macro: it has no `Type`, or is made by a macro, which is not expanded here',
    'Fn, event T: SAM makes its queue, which only the expanded template has',
  ]);
});
