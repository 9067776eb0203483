/** The state of lab/model/claim.qnt, member for member. */
export interface Row {
  readonly status: 'ABSENT' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'PARKED';
  readonly owner: string;
  readonly attempt: number;
  readonly releases: number;
  readonly crashes: number;
  /** Empty where the attempt does not record its start. */
  readonly started: '' | 'no' | 'yes';
  readonly leaseUntil: number;
  readonly expiresAt: number;
  readonly payload: string;
  readonly error: '' | 'failed' | 'operator';
  /** How many changes by people it remembers. */
  readonly changes: number;
}

export const ABSENT: Row = {
  status: 'ABSENT',
  owner: '',
  attempt: 0,
  releases: 0,
  crashes: 0,
  started: '',
  leaseUntil: 0,
  expiresAt: 0,
  payload: '',
  error: '',
  changes: 0,
};

export type Phase = 'new' | 'asking' | 'held' | 'running' | 'ending' | 'ended' | 'dead';
export type End = 'complete' | 'fail' | 'park' | 'release';

export interface Attempt {
  readonly phase: Phase;
  readonly key: string;
  readonly payload: string;
  readonly marks: boolean;
  /** 0 until it has heard that it acquired. */
  readonly leaseUntil: number;
  readonly releases: number;
  readonly sent: '' | End | 'commit';
  /** It has asked for a commit and not heard of it. */
  readonly commits: boolean;
}

export const NEW: Attempt = {
  phase: 'new',
  key: '',
  payload: '',
  marks: false,
  leaseUntil: 0,
  releases: 0,
  sent: '',
  commits: false,
};

export type Operation = 'release' | 'resolve' | 'park' | 'forget';

export interface Person {
  readonly phase: 'new' | 'seen' | 'asking' | 'ended';
  readonly key: string;
  readonly status: '' | Row['status'];
  readonly owner: string;
  readonly attempt: number;
  readonly operation: '' | Operation;
  readonly force: boolean;
}

export const NOBODY: Person = {
  phase: 'new',
  key: '',
  status: '',
  owner: '',
  attempt: 0,
  operation: '',
  force: false,
};

export interface Answer {
  readonly status: string;
  readonly attempt: number;
  readonly releases: number;
  readonly crashes: number;
  readonly leaseUntil: number;
  readonly tookOver: boolean;
}

export function only(status: string): Answer {
  return { status, attempt: 0, releases: 0, crashes: 0, leaseUntil: 0, tookOver: false };
}

/** What becomes of a request: done and heard of, done and not heard of, lost on its way. */
export type Fate = 'heard' | 'unheard' | 'unsent';

export type StepName =
  | 'acquire'
  | 'start'
  | 'startUnmarked'
  | 'extend'
  | 'settle'
  | 'commit'
  | 'die'
  | 'look'
  | 'operate'
  | 'pass'
  | 'delete';

/** The last step: who did what, and what was stored before and after. */
export interface Step {
  readonly name: 'init' | StepName;
  readonly actor: string;
  readonly key: string;
  /** The end, or the operation. */
  readonly how: string;
  /** The length of an extension; 1 for a forced operation. */
  readonly ticks: number;
  readonly fate: '' | Fate;
  readonly answer: Answer;
  readonly before: Row;
  readonly after: Row;
  readonly promised: number;
}

export const NOTHING: Step = {
  name: 'init',
  actor: '',
  key: '',
  how: '',
  ticks: 0,
  fate: '',
  answer: only(''),
  before: ABSENT,
  after: ABSENT,
  promised: 0,
};

type By<Value> = Readonly<Record<string, Value>>;

export interface State {
  readonly now: number;
  readonly skew: By<number>;
  readonly rows: By<Row>;
  readonly attempts: By<Attempt>;
  readonly people: By<Person>;
  readonly promised: By<number>;
  readonly ends: By<string>;
  /** Sorted, as `overridden` is. */
  readonly effects: readonly string[];
  readonly overridden: readonly string[];
  readonly last: Step;
}

/** The constants of the model. Times are in ticks. */
export interface Instance {
  readonly keys: readonly string[];
  readonly owners: readonly string[];
  readonly people: readonly string[];
  readonly payloads: readonly string[];
  readonly tolerance: number;
  readonly lastTime: number;
}

export const LEASE = 2;
export const RETENTION = 2;
export const COMPLETED_RETENTION = 4;
export const PARKED_RETENTION = 5;

export function rowIn({ rows }: Pick<State, 'rows'>, key: string): Row {
  return rows[key] ?? ABSENT;
}

export function clockOf({ now, skew }: State, who: string): number {
  return now + (skew[who] ?? 0);
}

export function attemptOf({ attempts }: State, who: string): Attempt {
  return attempts[who] ?? NEW;
}

export function personOf({ people }: State, who: string): Person {
  return people[who] ?? NOBODY;
}

export function isForgottenAt({ expiresAt }: Row, at: number): boolean {
  return expiresAt <= at;
}

export function isSameRow(a: Row, b: Row): boolean {
  return ROW_MEMBERS.every((name) => a[name] === b[name]);
}

const ROW_MEMBERS = Object.keys(ABSENT) as (keyof Row)[];
