import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Editor, linesWithErrors, numbered, openMistakes, saidOf } from './editor.ts';

const PRELUDE = `
import { createBatchProcessor, standardSchema } from 'batchlatch';
import { message, messages, route, routes } from 'batchlatch/messages';
import { createBatchProcessor as core, forBatches, sqs } from 'batchlatch/core';
import { memoryStore } from 'batchlatch/memory';
import { z } from 'zod';
const Placed = message(z.object({ orderId: z.string(), total: z.string().transform(Number) }), { key: ['orderId'] });
const Cancelled = message(z.object({ orderId: z.string(), why: z.string() }), { key: ['orderId'], group: 'orderId' });
const orders = messages({ Placed, Cancelled });
const all = routes(orders, { Placed: () => 1, Cancelled: () => 1 });
const batches = routes<typeof orders.types, 'batches'>(orders, { Placed: () => [], Cancelled: () => [] });
`;

/** A mistake in one line, and how what TypeScript says of it begins. */
const MISTAKES: readonly [line: string, text: string][] = [
  [`createBatchProcessor(routes(orders, { Placed: () => 1 }));`, `Property 'Cancelled' is missing in type`],
  [
    `createBatchProcessor(routes(orders, { Placed: () => 1, Cancelled: () => 1, Canceled: () => 1 }));`,
    `Object literal may only specify known properties, but 'Canceled' does not exist in type`,
  ],
  [
    `createBatchProcessor(routes(orders, { Placed: ({ body }) => body.totl, Cancelled: () => 1 }));`,
    `Property 'totl' does not exist on type '{ orderId: string; total: number; }'. Did you mean 'total'?`,
  ],
  [
    `createBatchProcessor(routes(orders, { Placed: () => 1, Cancelled: route(() => 1, { maxAttemps: 3 }) }));`,
    `Object literal may only specify known properties, but 'maxAttemps' does not exist in type 'RouteOptions'.`,
  ],
  [`createBatchProcessor(all, { schema: standardSchema(z.string()) });`, 'No overload matches this call.'],
  [`createBatchProcessor(batches);`, 'No overload matches this call.'],
  [`createBatchProcessor.forBatches(all);`, 'No overload matches this call.'],
  [`core(all, { source: sqs() });`, 'No overload matches this call.'],
  [
    `message(z.object({ orderId: z.string() }), { key: ['ordrId'] });`,
    `Type '"ordrId"' is not assignable to type '"orderId"'.`,
  ],
];

const RIGHT = `
createBatchProcessor(routes(orders, {
  Placed: ({ body: placed }, { attempt }) => [placed.total + attempt],
  Cancelled: route(async ({ body: cancelled }) => cancelled.why, { concurrency: 2, retryable: () => true }),
}, { otherwise: ({ body: other }) => other, by: (record) => record.attributes['kind'] }), { concurrency: 3 });
createBatchProcessor.forBatches(routes(orders, {
  Placed: (items) => items.map(({ record: { body: inBatch } }) => inBatch.total),
  Cancelled: route((items) => items.map(({ record }) => record.body.why), { concurrency: 100 }),
}));
createBatchProcessor(all);
core(all, { source: sqs(), store: memoryStore() });
forBatches(batches, { source: sqs(), store: memoryStore() });
`;

const FILE = { prelude: PRELUDE, mistakes: MISTAKES, right: RIGHT };

describe('routes() in TypeScript', () => {
  let editor: Editor;
  beforeAll(() => {
    editor = openMistakes(FILE);
  });

  it.each(numbered(FILE))('says of $line what is wrong', ({ number, text }) => {
    expect(saidOf(number, editor)).toEqual([expect.stringContaining(text)]);
  });

  it('says nothing of code that is right', () => {
    expect(linesWithErrors(editor)).toEqual(numbered(FILE).map(({ number }) => number));
  });

  it.each([
    ['body: placed', '{ orderId: string; total: number; }'],
    ['body: cancelled', '{ orderId: string; why: string; }'],
    ['body: other', 'unknown'],
    ['body: inBatch', '{ orderId: string; total: number; }'],
  ])("gives a handler its schema's output: %s", (name, type) => {
    expect(editor.hover(name).replaceAll(/\s+/g, ' ')).toContain(`.body: ${type}`);
  });
});
