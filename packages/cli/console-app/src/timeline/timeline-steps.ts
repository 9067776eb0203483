import type { ClaimJson, EventJson, Num, OperationKind, RedrivenJson, StoredError } from '../api-types.ts';

/** A step of a claim. */
export interface TimelineStep {
  readonly what:
    | 'claimed'
    | 'taken-over'
    | 'failed'
    | 'parked'
    | 'completed'
    | 'overdue'
    | 'running'
    | 'redriven'
    | OperationKind;
  /** Whether a person did it. */
  readonly isByPerson: boolean;
  readonly attempt: Num;
  /** Absent if the row does not keep it. */
  readonly at?: string;
  /** Function, version and request id of an attempt; the operator of a change. */
  readonly by?: string;
  readonly reason?: string;
  readonly error?: StoredError;
}

type Changed = Extract<EventJson, { readonly kind: 'changed' }>;

const ENDED = { FAILED: 'failed', PARKED: 'parked', COMPLETED: 'completed' } as const;

/**
 * Returns the steps of a claim, oldest first. A person's change also records how the last attempt ended: that
 * is a step without a time.
 */
export function timelineSteps(
  claim: Pick<ClaimJson, 'state' | 'attempt' | 'leaseUntil'>,
  events: readonly EventJson[],
): readonly TimelineStep[] {
  const steps: TimelineStep[] = [];
  for (const event of events) steps.push(...stepsOf(event, steps));
  if (claim.state === 'in-progress') {
    steps.push({ what: 'running', isByPerson: false, attempt: claim.attempt, ...timeOf(claim.leaseUntil) });
  }
  return steps;
}

function stepsOf(event: EventJson, before: readonly TimelineStep[]): readonly TimelineStep[] {
  if (event.kind === 'changed') return changeSteps(event, before);
  if (event.kind !== 'redriven') return [stepOf(event)];
  const { at, operator, reason } = event;
  return [
    { what: 'redriven', isByPerson: true, attempt: before.at(-1)?.attempt ?? 0, by: operator, reason, at },
  ];
}

function stepOf(event: Exclude<EventJson, Changed | RedrivenJson>): TimelineStep {
  const base = { isByPerson: false, attempt: event.attempt, ...timeOf(event.at) };
  switch (event.kind) {
    case 'claimed':
      return {
        ...base,
        what: event.tookOver === true ? 'taken-over' : 'claimed',
        ...(event.lockedBy !== undefined && { by: event.lockedBy }),
      };
    case 'lapsed':
      return { ...base, what: 'overdue' };
    case 'completed':
      return { ...base, what: 'completed' };
    case 'failed':
    case 'parked':
      return { ...base, what: event.kind, ...(event.error !== undefined && { error: event.error }) };
  }
}

function changeSteps(event: Changed, before: readonly TimelineStep[]): readonly TimelineStep[] {
  const { from, operation, operator, reason } = event;
  const { attempt, status, error } = from;
  const last = before.at(-1);
  const isKnown = before.some((step) => step.attempt === attempt && !step.isByPerson);
  const hasEnded =
    last !== undefined && last.attempt === attempt && last.what !== 'claimed' && last.what !== 'taken-over';
  const base = { isByPerson: false, attempt };
  return [
    ...(isKnown ? [] : [{ ...base, what: 'claimed' } as const]),
    ...(hasEnded || status === 'IN_PROGRESS'
      ? []
      : [{ ...base, what: ENDED[status], ...(error !== undefined && { error }) }]),
    { isByPerson: true, attempt, what: operation, by: operator, reason, ...timeOf(event.at) },
  ];
}

function timeOf(at: string | null | undefined): { readonly at?: string } {
  return at === null || at === undefined ? {} : { at };
}
