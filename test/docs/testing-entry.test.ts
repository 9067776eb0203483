import { readFileSync } from 'node:fs';
import * as testing from 'batchlatch/testing';
import { expect, it } from '@jest/globals';

const page = readFileSync('docs/testing-entry.md', 'utf8');

it('docs/testing-entry.md names every function of batchlatch/testing', () => {
  expect(Object.keys(testing).filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

it.each([
  ['sqsEvent', 'SqsMessage', 'events'],
  ['sqsEvent', 'SqsEventOptions', 'events'],
  ['kinesisEvent', 'KinesisMessage', 'stream-events'],
  ['kinesisEvent', 'KinesisEventOptions', 'stream-events'],
  ['dynamoDBStreamEvent', 'DynamoDBStreamChange', 'stream-events'],
  ['eventBridgeBusEvent', 'EventBusMessage', 'event-bus-events'],
  ['kafkaEvent', 'KafkaMessage', 'kafka-events'],
  ['snsEvent', 'SnsNotificationMessage', 'push-events'],
  ['s3Event', 'S3Object', 'push-events'],
])('docs/testing-entry.md names every member that %s takes (%s)', (builder, type, file) => {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${builder}\``)) ?? '';
  const source = readFileSync(`src/testing/${file}.ts`, 'utf8');
  const [, body = ''] = new RegExp(`export interface ${type} \\{([^}]*)\\}`).exec(source) ?? [];
  const members = [...body.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name);
  expect(members.length).toBeGreaterThan(0);
  expect(members.filter((name) => !row.includes(`\`${name}\``))).toEqual([]);
});
