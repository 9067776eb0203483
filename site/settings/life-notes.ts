import { duration } from './duration.ts';
import type { Delivery, Life } from './life-of-message.ts';
import { DAY_MS, leaseMsOf, type Settings } from './settings.ts';

/** Returns a sentence for each thing that goes wrong on the time line, naming the setting that causes it. */
export function notesOn({ deliveries, end }: Life, settings: Settings): string[] {
  const ran = deliveries.filter(({ outcome }) => outcome !== 'conflict');
  const notes: (string | undefined)[] = [
    about(deliveries, ({ outcome }) => outcome === 'conflict', wastedBy(settings)),
    about(
      ran,
      ({ isBeside }) => isBeside,
      'starts while the handler of an earlier attempt still runs, because its lease ' +
        `(${duration(leaseMsOf(settings))}) ended first. The earlier attempt can no longer settle the claim`,
    ),
    about(
      ran,
      ({ isForgotten }) => isForgotten,
      `begins at attempt 1 again: claims are forgotten after ${duration(settings.claimDays * DAY_MS)}, before the message ` +
        'comes again',
    ),
    end.kind === 'deleted'
      ? `The queue deletes the message after ${duration(settings.queueDays * DAY_MS)} (its retention), at ` +
        `receive ${deliveries.length}` +
        (settings.maxReceiveCount === undefined
          ? '. Without a dead-letter queue it is lost'
          : ` of ${settings.maxReceiveCount}: it never reaches the dead-letter queue`)
      : undefined,
    end.kind === 'goes on'
      ? `The message is received more than ${deliveries.length.toLocaleString('en')} times, until its ` +
        `retention of ${duration(settings.queueDays * DAY_MS)} is over. Without a dead-letter queue it is ` +
        'then lost'
      : undefined,
    deadLetterNote({ deliveries, end }, settings),
  ];
  return notes.filter((note) => note !== undefined).map((note) => `${note}.`);
}

function about(
  deliveries: readonly Delivery[],
  isAffected: (delivery: Delivery) => boolean,
  text: string,
): string | undefined {
  const affected = deliveries.filter((delivery) => isAffected(delivery));
  if (affected.length === 0) return undefined;
  const first = `Delivery ${deliveries.indexOf(affected[0] as Delivery) + 1}`;
  const others = affected.length - 1;
  return `${first}${others > 0 ? ` (and ${others} more)` : ''} ${text}`;
}

function wastedBy(settings: Settings): string {
  return (
    `meets the lease of an earlier attempt (${duration(leaseMsOf(settings))}), does not run, and uses up a ` +
    `receive: the message is visible again after ${duration(settings.visibilitySeconds * 1_000)}`
  );
}

/** A message of a standard queue keeps the time at which it was sent. */
function deadLetterNote({ end }: Life, { deadLetterDays }: Settings): string | undefined {
  if (end.kind !== 'dead-letter queue') return undefined;
  const leftMs = deadLetterDays * DAY_MS - end.atMs;
  if (leftMs <= 0) return 'The dead-letter queue deletes the message as soon as it arrives';
  return (
    `The message is in the dead-letter queue after ${duration(end.atMs)}, and stays there for ` +
    duration(leftMs)
  );
}
