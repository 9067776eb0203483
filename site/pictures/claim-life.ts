import type { Claim } from '../../src/claims/claim.ts';
import type { Settlement } from '../../src/claims/claim-store.ts';
import { decideOperation } from '../../src/claims/changes.ts';
import { changeOfSettlement, decideAcquire, isForgotten, isOwnedBy } from '../../src/claims/transitions.ts';
import { graphPicture } from './graph.ts';

/** How a claim can stand, as a picture shows it. */
export type State = 'absent' | 'live' | 'lapsed' | 'completed' | 'failed' | 'parked';

/** Who or what changes a claim. */
type By = 'worker' | 'person' | 'time';

/** What an event does to a claim: the next state, or why nothing changes. */
export interface Transition {
  readonly from: State;
  readonly event: string;
  readonly by: By;
  readonly to: State | undefined;
  /** What the one who asked is told. */
  readonly told: string;
}

const NOW = 1_000_000;
const LEASE_MS = 1_000;
const RETENTION_MS = 10_000;
const request = { key: 'k', owner: 'new', leaseMs: LEASE_MS, retentionMs: RETENTION_MS };

const ROWS: Readonly<Record<State, Claim | undefined>> = {
  absent: undefined,
  live: row('IN_PROGRESS', NOW + LEASE_MS),
  lapsed: row('IN_PROGRESS', NOW),
  completed: row('COMPLETED', NOW),
  failed: row('FAILED', NOW),
  parked: row('PARKED', NOW),
};
export const STATES = Object.keys(ROWS) as State[];

const ENDS = ['complete', 'fail', 'park', 'release'] as const;
const OPERATIONS = ['release', 'resolve', 'park', 'forget'] as const;

/** Every event in every state, decided by the functions with which the stores decide. */
export function claimLife(): Transition[] {
  return STATES.flatMap((from) => [
    acquired(from),
    ...ENDS.map((end) => settled(from, end)),
    settledLate(from),
    ...OPERATIONS.map((operation) => operated(from, operation)),
    ...passed(from),
  ]);
}

function acquired(from: State): Transition {
  const decision = decideAcquire(ROWS[from], request, NOW);
  const event = { from, event: 'claim', by: 'worker' } as const;
  if ('outcome' in decision) return { ...event, to: undefined, told: decision.outcome.status };
  const told = decision.tookOver ? 'acquired, took over' : 'acquired';
  return { ...event, to: stateOf(decision.write), told };
}

/** By the owner that the row names. */
function settled(from: State, end: Settlement['end']): Transition {
  const stored = ROWS[from];
  const event = { from, event: end, by: 'worker' } as const;
  if (!isOwnedBy(stored, 'old')) return { ...event, to: undefined, told: 'lost' };
  return {
    ...event,
    to: stateOf({ ...stored, ...changed(changeOfSettlement(settlement(end, 'old'), NOW)) }),
    told: 'stored',
  };
}

function settledLate(from: State): Transition {
  const isRefused = !isOwnedBy(ROWS[from], 'an owner that it was taken from');
  if (!isRefused) throw new Error('A late owner can settle');
  return { from, event: 'any end, by a late owner', by: 'worker', to: undefined, told: 'lost' };
}

function operated(from: State, operation: (typeof OPERATIONS)[number]): Transition {
  const stored = ROWS[from];
  const seen = stored ?? { status: 'IN_PROGRESS', owner: 'old', attempt: 1 };
  const asked = {
    operation,
    key: 'k',
    seen,
    owner: 'person',
    operator: 'ann',
    reason: 'x',
    retentionMs: RETENTION_MS,
  } as const;
  const decision = decideOperation(stored, asked, NOW);
  const event = { from, event: `${operation}, by a person`, by: 'person' } as const;
  if ('write' in decision) return { ...event, to: stateOf(decision.write), told: 'done' };
  if ('forget' in decision) return { ...event, to: 'absent', told: 'done' };
  return {
    ...event,
    to: undefined,
    told: decision.outcome.status === 'refused' ? `refused: ${decision.outcome.why}` : 'done',
  };
}

/** What time alone does. */
function passed(from: State): Transition[] {
  const stored = ROWS[from];
  if (stored === undefined) return [];
  const isForgottenThen = isForgotten(stored, stored.expiresAt ?? Infinity);
  return [
    ...(from === 'live' && NOW + LEASE_MS >= stored.leaseUntil
      ? [{ from, event: 'the lease ends', by: 'time', to: 'lapsed', told: '' } as const]
      : []),
    ...(isForgottenThen && from !== 'live'
      ? [{ from, event: 'the retention ends', by: 'time', to: 'absent', told: '' } as const]
      : []),
  ];
}

function stateOf({ status, leaseUntil }: Claim): State {
  switch (status) {
    case 'IN_PROGRESS':
      return NOW < leaseUntil ? 'live' : 'lapsed';
    case 'COMPLETED':
      return 'completed';
    case 'FAILED':
      return 'failed';
    case 'PARKED':
      return 'parked';
  }
}

function row(status: Claim['status'], leaseUntil: number): Claim {
  const counts = { attempt: 1, releases: 0, crashes: 0 };
  const times = { createdAt: NOW - 1, updatedAt: NOW - 1, leaseUntil, expiresAt: NOW + RETENTION_MS };
  return { key: 'k', owner: 'old', status, ...counts, ...times };
}

function settlement(end: Settlement['end'], owner: string): Settlement {
  const error = { name: 'Error', message: '' };
  return { key: 'k', owner, end, retentionMs: RETENTION_MS, error, releases: 0 };
}

function changed(change: ReturnType<typeof changeOfSettlement>): Partial<Claim> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

const LABELS: Readonly<Record<State, { readonly label: string; readonly class: string }>> = {
  absent: { label: 'no row', class: 'box' },
  live: { label: 'IN_PROGRESS\nlease live', class: 'live' },
  lapsed: { label: 'IN_PROGRESS\nlease over', class: 'died' },
  completed: { label: 'COMPLETED', class: 'done' },
  failed: { label: 'FAILED\nmay be claimed', class: 'failed' },
  parked: { label: 'PARKED\nwaits for a person', class: 'parked' },
};

/** The claim's life as a graph. What changes nothing is in the table alone, and so is forgetting: it leads from everywhere to no row. */
export function claimLifePicture(): Promise<string> {
  const shown = claimLife().filter(({ from, to }) => to !== undefined && to !== from && to !== 'absent');
  const edges = new Map<string, { from: State; to: State; by: By; events: string[] }>();
  for (const { from, to, by, event } of shown) {
    const id = `${from} ${to} ${by}`;
    const edge = edges.get(id) ?? { from, to: to as State, by, events: [] };
    edge.events.push(event.replace(', by a person', ''));
    edges.set(id, edge);
  }
  return graphPicture(
    'The states of a claim and what leads from one to another: by a worker in blue, by a person in purple, by time in grey',
    STATES.map((state) => ({ id: state, ...LABELS[state] })),
    [...edges.values()].map(({ from, to, by, events }) => ({
      from,
      to,
      label: events.join(', '),
      class: by,
    })),
    'TB',
  );
}

/** The same as a table, with what changes nothing. */
export function claimLifeTable(): string {
  const life = claimLife();
  const events = [...new Set(life.map(({ event }) => event))];
  const rows = events.map((event) => {
    const cells = STATES.map((state) => {
      const found = life.find((transition) => transition.from === state && transition.event === event);
      if (found === undefined) return '–';
      if (found.to === undefined) return found.told;
      const next = found.to === state ? 'the same' : `**${TITLES[found.to]}**`;
      return event === 'claim' ? `${found.told}: ${next}` : next;
    });
    return `| ${event} | ${cells.join(' | ')} |`;
  });
  const heads = STATES.map((state) => TITLES[state]);
  return [`| event | ${heads.join(' | ')} |`, `|---|${'---|'.repeat(heads.length)}`, ...rows].join('\n');
}

const TITLES: Readonly<Record<State, string>> = {
  absent: 'no row',
  live: 'in progress',
  lapsed: 'lease over',
  completed: 'completed',
  failed: 'failed',
  parked: 'parked',
};
