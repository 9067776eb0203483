import { setTimeout as delay } from 'node:timers/promises';
import type { Places } from '../places.ts';
import type { DevStream } from '../stack.ts';
import { isRefusal, localCall } from './local-call.ts';

const POLL_MS = 20;

/** Makes the streams of Kinesis that are not there, and waits until they take records. */
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
