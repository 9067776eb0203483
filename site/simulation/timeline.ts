import type { ClaimSpan, InvocationSpan, MomentKind, Run } from './run.ts';

/** A bar of the timeline: a claim as it stands, or an invocation. */
export interface Bar {
  readonly fromMs: number;
  readonly untilMs: number;
  /** A class of the picture's style. */
  readonly name: 'live' | 'died' | 'done' | 'failed' | 'parked' | 'box';
  readonly label: string;
}

/** A sign on a lane. */
interface Sign {
  readonly atMs: number;
  readonly sign: string;
  readonly text: string;
}

/** A line of the timeline: an order with its claim, or a worker with its invocations. */
export interface Lane {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly signs: readonly Sign[];
}

const SIGNS: Partial<Record<MomentKind, string>> = {
  effect: '●',
  'effect again': '○',
  dies: '✕',
  'times out': '✕',
  'stands still': '⏸',
  'goes on': '▶',
  'too late': '⊘',
  conflict: '⊘',
  duplicate: '=',
  'dead letter': '†',
};

/** How the picture of a run is laid out, in pixels. */
export const PICTURE = { width: 900, left: 92, right: 16 } as const;

/** What each sign means, for the legend. */
export const LEGEND =
  '● charged   ○ asked again, charged nothing   ✕ dies or times out   ⊘ refused   = duplicate   † dead-letter queue';

/** The lanes of a run: its orders, then its workers. */
export function lanesOf(run: Run): Lane[] {
  const orders = run.orders.map((order) => ({
    title: `order ${order}`,
    bars: claimBars(
      run.claims.filter((span) => span.order === order),
      run.endMs,
    ),
    signs: signsOf(run, (moment) => moment.order === order),
  }));
  const workers = [...new Set(run.invocations.map(({ process }) => process.charAt(0)))].toSorted();
  return [
    ...orders,
    ...workers.map((worker) => ({
      title: `worker ${worker}`,
      bars: run.invocations.filter(({ process }) => process.startsWith(worker)).map(invocationBar),
      signs: signsOf(
        run,
        (moment) => moment.order === undefined && moment.process?.startsWith(worker) === true,
      ),
    })),
  ];
}

function signsOf(run: Run, isOnLane: (moment: Run['moments'][number]) => boolean): Sign[] {
  return run.moments.flatMap((moment) => {
    const sign = SIGNS[moment.kind];
    return sign !== undefined && isOnLane(moment) ? [{ atMs: moment.atMs, sign, text: moment.text }] : [];
  });
}

function claimBars(spans: readonly ClaimSpan[], endMs: number): Bar[] {
  return spans.flatMap((span, index) => {
    const untilMs = spans[index + 1]?.fromMs ?? endMs;
    if (span.status !== 'IN_PROGRESS') return [barOf(span, span.fromMs, untilMs)];
    const leaseEnds = Math.min(untilMs, span.leaseUntilMs);
    const live: Bar = {
      fromMs: span.fromMs,
      untilMs: leaseEnds,
      name: 'live',
      label: `${span.process}, ${span.attempt}`,
    };
    if (leaseEnds === untilMs) return [live];
    return [live, { fromMs: leaseEnds, untilMs, name: 'died', label: 'lease over' }];
  });
}

function barOf({ status }: ClaimSpan, fromMs: number, untilMs: number): Bar {
  switch (status) {
    case 'COMPLETED':
      return { fromMs, untilMs, name: 'done', label: 'completed' };
    case 'PARKED':
      return { fromMs, untilMs, name: 'parked', label: 'parked' };
    case 'FAILED':
      return { fromMs, untilMs, name: 'failed', label: 'free' };
    case 'IN_PROGRESS':
      return { fromMs, untilMs, name: 'live', label: '' };
  }
}

function invocationBar({ process, fromMs, untilMs, ended }: InvocationSpan): Bar {
  return { fromMs, untilMs, name: ended === 'answered' ? 'box' : 'died', label: process };
}
