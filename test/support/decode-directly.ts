import type { BatchRecord, DecoderStep } from 'batchlatch';

/** Runs one decoder on bytes, or on text as of SQS. */
export async function decodeDirectly(step: DecoderStep, data: Uint8Array | string): Promise<string> {
  const { signal } = new AbortController();
  return (await step(data, {} as BatchRecord, { signal })) as string;
}
