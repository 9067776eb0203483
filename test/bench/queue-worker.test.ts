import { describe, expect, test } from '@jest/globals';
import type { ConsumerName, QueueWork } from '../../lab/bench/consumers/consumer.ts';
import { queueWorkerTargetsOf } from '../../lab/bench/report/queue-worker-targets.ts';
import { queueWorkerTable } from '../../lab/bench/report/tables/queue-worker.ts';
import type { ConsumerFigures, QueueCell } from '../../lab/bench/sections/queue-worker.ts';
import { NOTHING } from './no-figures.ts';
import { spread } from './spread.ts';

const SLOW: QueueWork = { handlerMs: 50, hasSlow: true };
const FAST: QueueWork = { handlerMs: 0, hasSlow: false };

describe('the targets of the worker', () => {
  test('are those of the cells that the run had', () => {
    expect(queueWorkerTargetsOf(NOTHING)).toEqual([]);
  });

  test('ask for 15 times the messages of one sqs-consumer, and for as many as four have', () => {
    expect(reached(cell(SLOW, { more: 15, moreThanFour: 1 }))).toEqual([true, true]);
    expect(reached(cell(SLOW, { more: 14.9, moreThanFour: 0.9 }))).toEqual([false, false]);
    expect(reached(cell({ ...SLOW, hasSlow: false }, { more: 9, moreThanFour: 2 }))).toEqual([false, true]);
  });

  test('ask for no more CPU than the better of sqs-consumer’s settings takes, where handlers do nothing', () => {
    expect(reached(cell(FAST, { micros: 200 }))).toEqual([true]);
    expect(reached(cell(FAST, { micros: 201 }))).toEqual([false]);
    expect(reached(cell({ ...FAST, hasSlow: true }, { micros: 500 }))).toEqual([]);
  });
});

test('the table of the worker compares all with one sqs-consumer and with four', () => {
  const rows = queueWorkerTable({ queueWorker: [cell(SLOW, { more: 26, moreThanFour: 7 })] }).split('\n');
  expect(rows[2]).toContain('| 50 ms, one in 20 a second | batchlatch, without claims | ');
  expect(rows[2]).toContain('**26×** (26–26) | **7×** (7–7)');
  expect(rows[3]).toMatch(/sqs-consumer \| .* \| – \|/);
});

function cell(
  work: QueueWork,
  own: { readonly more?: number; readonly moreThanFour?: number; readonly micros?: number },
): QueueCell {
  const consumers: Partial<Record<ConsumerName, ConsumerFigures>> = {
    'batchlatch-worker': figures(own),
    'sqs-consumer': figures({ micros: 300 }),
    'sqs-consumer-four': figures({ micros: 200 }),
  };
  return { work, rounds: 1, consumers };
}

function figures({ more = 1, moreThanFour = 1, micros = 100 }): ConsumerFigures {
  return {
    perSecond: spread(1_000),
    cpuMicros: spread(micros),
    timesMore: spread(more),
    timesMoreThanFour: spread(moreThanFour),
    timesLessCpu: spread(1),
  };
}

function reached(queueCell: QueueCell): boolean[] {
  return queueWorkerTargetsOf({ ...NOTHING, queueWorker: [queueCell] }).map(({ isReached }) => isReached);
}
