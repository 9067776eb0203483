import { setTimeout as delay } from 'node:timers/promises';
import type { Places } from '../places.ts';
import type { DevStream } from '../stack.ts';
import { isRefusal, localCall } from './local-call.ts';

const POLL_MS = 20;

/** Creates the missing Kinesis streams, and waits until they are active. */
export async function createStreams(places: Places, streams: readonly DevStream[]): Promise<void> {
  for (const { name, shards } of streams) {
    try {
      await localCall(places.kinesis, 'Kinesis_20131202.CreateStream', {
        StreamName: name,
        ShardCount: shards,
      });
    } catch (error) {
      if (!isRefusal(error, 'ResourceInUseException')) throw error;
    }
    while (!(await isActive(places, name))) await delay(POLL_MS);
  }
}

async function isActive(places: Places, name: string): Promise<boolean> {
  const { StreamDescriptionSummary: summary } = await localCall(
    places.kinesis,
    'Kinesis_20131202.DescribeStreamSummary',
    { StreamName: name },
  );
  return (summary as { StreamStatus?: string }).StreamStatus === 'ACTIVE';
}
