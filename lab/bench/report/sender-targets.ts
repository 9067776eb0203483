import type { Figures } from '../figures.ts';
import { PRODUCERS } from '../producers/producer.ts';
import { times } from './format.ts';
import { type Target, withReason } from './target.ts';

const LEAST = 2;

/** The target of the sender: half the CPU of the best of the others. */
export function senderTargetsOf({ senders }: Figures): Target[] {
  return senders.flatMap(({ throttled, producers }) =>
    (['batchlatch-send-all', 'batchlatch-send'] as const).flatMap((name) => {
      const own = producers[name];
      if (own === undefined) return [];
      const others = PRODUCERS.filter((one) => !one.startsWith('batchlatch')).flatMap((one) => {
        const other = producers[one];
        return other === undefined ? [] : [other.cpuMicros.median];
      });
      const less = Math.min(...others) / own.cpuMicros.median;
      const how = name === 'batchlatch-send' ? '`send`' : '`sendAll`';
      return [
        withReason(
          {
            figure: `sender: CPU per message of ${how}, ${throttled * 100} % of entries throttled`,
            wanted: `at least ${times(LEAST)} less than the best of the others`,
            measured: times(less),
            isReached: less >= LEAST,
          },
          () => 'Validation, key and group of each message are in it; the bare SDK has none of them.',
        ),
      ];
    }),
  );
}
