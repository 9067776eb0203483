import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../cli-error.ts';

/** Limits for all processes together. */
export interface SharedLimits {
  readonly maxInFlight?: number;
  readonly concurrencyPerGroup?: number;
  readonly rate?: { readonly records: number; readonly perMs: number };
}

/** The place of a process among `count`, from 1. */
export interface ProcessPlace {
  readonly number: number;
  readonly count: number;
}

const MOST_PROCESSES = 256;
/** The memory that each process must have for the default number of processes. */
const LEAST_MEMORY = 256 * 1024 ** 2;
/** The CPU quota of a container (control groups version 2), which Node 20 ignores. */
const CPU_QUOTA = '/sys/fs/cgroup/cpu.max';

/** Reads `--processes`: a number, or `cores`. */
export function processCount(text: string): number {
  if (text === 'cores') return coresOf(availableParallelism(), quotaText());
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= MOST_PROCESSES) return value;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST_PROCESSES}, or \`cores\`.`);
}

/** Returns the number of processes. Throws a `UsageError` if a limit is lower than the number asked for. */
export function processesFor(asked: number | undefined, limits: SharedLimits): number {
  const { maxInFlight = Infinity, concurrencyPerGroup = Infinity, rate } = limits;
  const most = Math.min(maxInFlight, concurrencyPerGroup, rate?.records ?? Infinity);
  if (asked === undefined) return Math.min(defaultCount(), most);
  if (asked <= most) return asked;
  throw new UsageError(
    `--processes ${asked} is more than a limit of ${most} can be divided by: ` +
      `give --processes ${most} or less, or raise --max-in-flight, --concurrency-per-group or --rate.`,
  );
}

function defaultCount(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.max(1, Math.min(processCount('cores'), Math.floor(memory / LEAST_MEMORY)));
}

/** Returns the whole cores of a quota such as `150000 100000`: microseconds in a period. */
export function coresOf(cores: number, quota: string): number {
  const [, micros, period] = /^(\d+) (\d+)/.exec(quota) ?? [];
  if (micros === undefined || period === undefined) return cores;
  return Math.max(1, Math.min(cores, Math.floor(Number(micros) / Number(period))));
}

function quotaText(): string {
  try {
    return readFileSync(CPU_QUOTA, 'utf8');
  } catch {
    return ''; // no container, or another system
  }
}

export function shareOf(limits: SharedLimits, place: ProcessPlace): SharedLimits {
  const { maxInFlight, concurrencyPerGroup, rate } = limits;
  return {
    ...(maxInFlight !== undefined && { maxInFlight: part(maxInFlight, place) }),
    ...(concurrencyPerGroup !== undefined && { concurrencyPerGroup: part(concurrencyPerGroup, place) }),
    ...(rate !== undefined && { rate: partOfRate(rate, place) }),
  };
}

function part(whole: number, { number, count }: ProcessPlace): number {
  return Math.floor(whole / count) + (number <= whole % count ? 1 : 0);
}

/** Rounds the records down and shortens the period: of 100 a second, each of three gets 33 in 990 ms. */
function partOfRate({ records, perMs }: NonNullable<SharedLimits['rate']>, { count }: ProcessPlace) {
  const ofOne = Math.floor(records / count);
  return { records: ofOne, perMs: Math.ceil((perMs * count * ofOne) / records) };
}
