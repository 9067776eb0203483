import type { TimelineStep } from './timeline-steps.ts';

/** A line through a row, or from or to its node. Lane 0 is the key; the others are attempts. */
interface Rail {
  readonly lane: number;
  readonly part: 'through' | 'above' | 'below';
}

/** A curve between the key and an attempt: `out` for a claim, `in` for a settlement. */
interface Curve {
  readonly lane: number;
  readonly way: 'out' | 'in';
}

/** A drawn step. */
export interface TimelineRow {
  readonly step: TimelineStep;
  /** The lane of its node. */
  readonly lane: number;
  readonly rails: readonly Rail[];
  readonly curves: readonly Curve[];
  /** The lanes of attempts that can no longer settle anything. */
  readonly lost: readonly number[];
  /** The number of unknown attempts before this one. */
  readonly skipped: number;
}

type What = TimelineStep['what'];

const BEGINS: ReadonlySet<What> = new Set<What>(['claimed', 'taken-over']);
const SETTLES: ReadonlySet<What> = new Set<What>(['failed', 'parked', 'completed']);
const GOES_ON: ReadonlySet<What> = new Set<What>(['running', 'overdue']);

/**
 * Lays out the steps of a claim, oldest first. The key is a trunk. Each attempt is a branch from its claim to
 * its settlement, or to its end if it is taken over or a person changes the claim.
 */
export function timelineLayout(steps: readonly TimelineStep[]): readonly TimelineRow[] {
  /** The lanes of open attempts. */
  const open = new Map<string, number>();
  let lastAttempt = 0;
  return steps.map((step, index) => {
    const attempt = String(step.attempt);
    const before = [...open.values()];
    const own = open.get(attempt);
    const begins = BEGINS.has(step.what);
    const settles = SETTLES.has(step.what) && own !== undefined;
    const lost = begins || !(settles || GOES_ON.has(step.what)) ? before : [];
    if (lost.length > 0) open.clear();
    const lane = begins ? freeLane(before) : GOES_ON.has(step.what) ? (own ?? 0) : 0;
    if (begins) open.set(attempt, lane);
    if (settles) open.delete(attempt);
    const skipped = begins ? Math.max(0, Number(step.attempt) - lastAttempt - 1) : 0;
    lastAttempt = Math.max(lastAttempt, Number(step.attempt) || 0);
    const curves: readonly Curve[] = [
      ...(begins ? [{ lane, way: 'out' } as const] : []),
      ...(settles ? [{ lane: own, way: 'in' } as const] : []),
    ];
    const rails = railsOf({
      lane,
      before: settles ? before.filter((each) => each !== own) : before,
      after: [...open.values()],
      begins,
      isLast: index === steps.length - 1,
    });
    return { step, lane, rails, curves, lost, skipped };
  });
}

function railsOf({
  lane,
  before,
  after,
  begins,
  isLast,
}: {
  readonly lane: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly begins: boolean;
  readonly isLast: boolean;
}): readonly Rail[] {
  const trunk: Rail = { lane: 0, part: isLast ? 'above' : 'through' };
  const branches = [...new Set([...before, ...after])].flatMap((each): readonly Rail[] => {
    const above = before.includes(each) && !(begins && each === lane);
    const below = after.includes(each) && !isLast;
    if (above && below) return [{ lane: each, part: 'through' }];
    return above ? [{ lane: each, part: 'above' }] : below ? [{ lane: each, part: 'below' }] : [];
  });
  return [trunk, ...branches];
}

function freeLane(taken: readonly number[]): number {
  let lane = 1;
  while (taken.includes(lane)) lane += 1;
  return lane;
}
