import { PRICES } from '../prices.ts';
import { type FleetOptions, type FleetRun, simulateFleet, type Totals } from './fleet.ts';
import type { KeyName } from './keys.ts';
import { keysOf } from './keys.ts';
import type { Measured } from './measured-worker.ts';
import { spreadOf } from './partitions.ts';

export interface StudyOptions extends Omit<FleetOptions, 'keyOf' | 'spreads' | 'checkpoints' | 'onProgress'> {
  readonly key: KeyName;
  /** How many messages each measured run of a worker had. */
  readonly sample: number;
}

/** One row of a table: what so many messages on so many workers cost. */
export interface Row extends Totals {
  readonly workers: number;
  /** US dollars for all of it: write units, read units and requests to SQS. */
  readonly usd: number;
}

export interface Study {
  readonly options: StudyOptions;
  readonly measured: Measured;
  readonly byMessages: readonly Row[];
  readonly byWorkers: readonly Row[];
  /** The fullest partition as a multiple of the mean, by how many there are. */
  readonly spread: readonly { readonly partitions: number; readonly fullest: number }[];
  readonly run: Pick<FleetRun, 'throttled' | 'busiestSecond' | 'mostInFlight'>;
  /** The largest difference of the cost of a message to that of the whole run, as a share, over all rows of 10,000 messages or more. */
  readonly largestDeviation: number;
}

const SPREADS = [1, 10, 100, 1_000];
const FEWEST_COMPARED = 10_000;

/** Simulates the fleet: as messages grow, and as workers grow with as many messages for each. */
export function study(
  options: StudyOptions,
  measured: Measured,
  onProgress: (done: number, total: number) => void = () => undefined,
): Study {
  const { key, messages, workers } = options;
  const fewer = powersBelow(workers);
  const total = messages + fewer.reduce((sum, count) => sum + share(messages, count, workers), 0);
  let before = 0;
  const simulate = (own: Pick<FleetOptions, 'messages' | 'workers'>, checkpoints: number[]): FleetRun => {
    const run = simulateFleet(measured, {
      ...options,
      ...own,
      keyOf: keysOf(key),
      spreads: own.workers === workers ? SPREADS : [],
      checkpoints,
      onProgress: (done) => onProgress(before + done, total),
    });
    before += own.messages;
    return run;
  };
  const byWorkers = fewer.map((count) =>
    rowOf(simulate({ workers: count, messages: share(messages, count, workers) }, []).totals, count),
  );
  const inASecond = workers * options.ratePerWorker;
  const whole = simulate(
    { workers, messages },
    powersBelow(messages).filter((power) => power >= inASecond),
  );
  const last = rowOf(whole.totals, workers);
  const byMessages = [...whole.checkpoints.map((totals) => rowOf(totals, workers)), last];
  const { throttled, busiestSecond, mostInFlight } = whole;
  return {
    options,
    measured,
    byMessages,
    byWorkers: [...byWorkers, last],
    spread: whole.spreads.map((loads) => ({ partitions: loads.partitions, fullest: spreadOf(loads) })),
    run: { throttled, busiestSecond, mostInFlight },
    largestDeviation: largestDeviation([...byMessages, ...byWorkers], last),
  };
}

function rowOf(totals: Totals, workers: number): Row {
  const { writeUnits, readUnits, queueRequests } = totals;
  const usd =
    writeUnits * PRICES.writeUnit.usd +
    readUnits * PRICES.readUnit.usd +
    queueRequests * PRICES.queueRequest.usd;
  return { ...totals, workers, usd };
}

function largestDeviation(rows: readonly Row[], whole: Row): number {
  const ofOne = ({ usd, messages }: Row): number => usd / messages;
  const compared = rows.filter(({ messages }) => messages >= FEWEST_COMPARED);
  return Math.max(0, ...compared.map((row) => Math.abs(ofOne(row) / ofOne(whole) - 1)));
}

/** Powers of ten. */
function powersBelow(end: number): number[] {
  const powers: number[] = [];
  for (let power = end >= 10_000 ? 1_000 : 1; power < end; power *= 10) powers.push(power);
  return powers;
}

function share(messages: number, workers: number, ofAll: number): number {
  return Math.max(1, Math.round((messages * workers) / ofAll));
}
