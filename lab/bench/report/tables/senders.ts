import type { Figures } from '../../figures.ts';
import { type ProducerName, PRODUCERS } from '../../producers/producer.ts';
import { spread, table, timesSpread } from '../format.ts';

const TITLES: Readonly<Record<ProducerName, string>> = {
  'batchlatch-send-all': 'batchlatch, `sendAll`',
  'batchlatch-send': 'batchlatch, `send` 240 times at once',
  'sqs-producer': 'sqs-producer',
  'message-queue-toolkit': 'message-queue-toolkit',
  'bare-sdk': 'bare SDK, batches of ten',
};

/** A row for each sender, for each share of throttled entries. */
export function sendersTable({ senders }: Pick<Figures, 'senders'>): string {
  return table(
    ['entries throttled', '', 'messages per second', 'CPU, µs per message', 'CPU beside `sendAll`'],
    senders.flatMap(({ throttled, producers }) =>
      PRODUCERS.flatMap((name) => {
        const own = producers[name];
        if (own === undefined) return [];
        const beside = name === 'batchlatch-send-all' ? '–' : timesSpread(own.timesMoreCpu);
        return [[`${throttled * 100} %`, TITLES[name], spread(own.perSecond), spread(own.cpuMicros), beside]];
      }),
    ),
    2,
  );
}
