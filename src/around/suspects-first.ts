import type { ReadingPolicy } from '../batch/context.ts';
import { ReadingMarks } from './reading-marks.ts';
import { readSuspectsFirst } from './reading-order.ts';
import { dangerOf, isSuspect } from './suspects.ts';

/**
 * For `reading`: SQS messages that came again, and whose reading (`decode`, `key`, `namespace`, `payloadValidation`) could
 * have ended the process, are read before the others and one after the other, under marks in the claims table. So a message
 * that ends the process in its reading does not take its neighbours along at every delivery. It costs three writes and a round trip
 * for such a message, once; a first delivery costs nothing.
 *
 * @example
 * createBatchProcessor(handler, {
 *   decode: decoder((data, record, { signal }) => decrypt(data, record.attributes, signal)),
 *   reading: suspectsFirst(),
 * });
 */
export function suspectsFirst(): ReadingPolicy {
  return {
    option: 'reading',
    read({ delivered, namespace, read, key }, context) {
      const danger = dangerOf(context.settings);
      const isDangerous = delivered.some(
        (entry) => 'record' in entry.read && isSuspect(entry.read.record, danger),
      );
      if (!isDangerous) return undefined;
      const { time } = context;
      const marks = new ReadingMarks(context, namespace);
      const steps = { read, key, marks, clock: time.clock, stop: time.deadline.stop };
      return readSuspectsFirst(delivered, (record) => isSuspect(record, danger), steps);
    },
  };
}
