import { type ConsumerName, CONSUMERS, type QueueWork } from '../../consumers/consumer.ts';
import type { Figures } from '../../figures.ts';
import { spread, table, timesSpread } from '../format.ts';

const CONSUMER_TITLES: Readonly<Record<ConsumerName, string>> = {
  'batchlatch-worker': 'batchlatch, without claims',
  'batchlatch-worker-claims': 'batchlatch, claims in DynamoDB',
  'sqs-consumer': 'sqs-consumer',
  'sqs-consumer-four': 'sqs-consumer, 4 consumers',
};

export function workTitle({ handlerMs, hasSlow }: QueueWork): string {
  return `${handlerMs} ms${hasSlow ? ', one in 20 a second' : ''}`;
}

/** A row for each consumer of each kind of work. */
export function queueWorkerTable({ queueWorker }: Pick<Figures, 'queueWorker'>): string {
  return table(
    [
      'handler',
      '',
      'messages per second',
      'beside one sqs-consumer',
      'beside four',
      'CPU, µs per message',
      'less CPU than four',
    ],
    queueWorker.flatMap(({ work, consumers }) =>
      CONSUMERS.flatMap((name) => {
        const own = consumers[name];
        if (own === undefined) return [];
        return [
          [
            workTitle(work),
            CONSUMER_TITLES[name],
            spread(own.perSecond),
            name === 'sqs-consumer' ? '–' : timesSpread(own.timesMore),
            name === 'sqs-consumer-four' ? '–' : timesSpread(own.timesMoreThanFour),
            spread(own.cpuMicros),
            name === 'sqs-consumer-four' ? '–' : timesSpread(own.timesLessCpu),
          ],
        ];
      }),
    ),
    2,
  );
}
