import { PRICES } from './prices.ts';

/** What the records of one workload use. */
export interface Usage {
  /** Records in a batch. */
  readonly size: number;
  readonly writeUnitsPerRecord: number;
  readonly readUnitsPerRecord: number;
  /** Of a batch, measured where a whole processor was there for it. */
  readonly wallMs: number;
  /** Processor time of a record, in microseconds. */
  readonly cpuMicros: number;
  /** The memory of the function. Default 512 MB. */
  readonly memoryMb?: number;
}

/** US dollars for a million records. */
export interface Bill {
  readonly writes: number;
  readonly reads: number;
  readonly compute: number;
  readonly invocations: number;
  readonly queue: number;
  readonly total: number;
}

/** The memory of a function whose bill says nothing else, as in the README's template. */
export const MEMORY_MB = 512;
/** With this much memory a function has one whole processor (vCPU); with less, its share of it. */
const MEMORY_OF_ONE_CPU_MB = 1_769;
const MILLION = 1_000_000;
/** Lambda receives and deletes up to ten messages with one request each, whatever its batches hold. */
const MESSAGES_PER_QUEUE_REQUEST = 10;

export function billOf({
  size,
  writeUnitsPerRecord,
  readUnitsPerRecord,
  wallMs,
  cpuMicros,
  memoryMb = MEMORY_MB,
}: Usage): Bill {
  const batches = MILLION / size;
  const billedMs = Math.ceil(durationMs(wallMs, (cpuMicros * size) / 1_000, memoryMb));
  const parts = {
    writes: MILLION * writeUnitsPerRecord * PRICES.writeUnit.usd,
    reads: MILLION * readUnitsPerRecord * PRICES.readUnit.usd,
    compute: batches * computeUsd(billedMs, memoryMb),
    invocations: batches * PRICES.invocation.usd,
    queue: ((2 * MILLION) / MESSAGES_PER_QUEUE_REQUEST) * PRICES.queueRequest.usd,
  };
  const total = Object.values(parts).reduce((sum, usd) => sum + usd, 0);
  return { ...parts, total };
}

/** What so many milliseconds cost. */
export function computeUsd(billedMs: number, memoryMb: number = MEMORY_MB): number {
  return (billedMs / 1_000) * (memoryMb / 1_024) * PRICES.gigabyteSecond.usd;
}

/** What took a whole processor takes longer on the share of it that the function has; waiting takes as long. */
export function durationMs(wallMs: number, cpuMs: number, memoryMb: number = MEMORY_MB): number {
  const waitingMs = Math.max(0, wallMs - cpuMs);
  return waitingMs + cpuMs / Math.min(1, memoryMb / MEMORY_OF_ONE_CPU_MB);
}
