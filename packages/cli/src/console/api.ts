/**
 * The JSON API between the console's server and its pages. Times are ISO 8601 unless their name ends in `Ms`.
 * Integers beyond 2^53, which JSON readers would round, are strings.
 */
import type {
  ClaimJson,
  ClaimState,
  Distribution,
  NewerRow,
  NextStep,
  OperationKind,
  ParkedKind,
  RefusalReason,
  StatisticsPeriod,
  TimelineEvent,
} from 'batchlatch/operations';
import type { Narrowing } from './claim-narrowing.ts';
import type { ErrorGroup } from './error-tally.ts';
import type { QueueFactsJson, QueueJson } from './queues-api.ts';

export type * from './dead-letters-api.ts';
export type * from './outbox/outbox-api.ts';
export type * from './queues-api.ts';

/** `GET /api/session` */
export interface Session {
  /** The location of the claims, such as `table claims`. */
  readonly place: string;
  /** The person who looks. */
  readonly operator: string;
  readonly allowChanges: boolean;
  /** The person's role on a console of a team; absent on one person's. */
  readonly role?: 'read' | 'operate';
  /** Whether the server reads all claims every few seconds while a page is open. */
  readonly readsBySelf: boolean;
  readonly estimatedRows?: number;
  readonly queues: readonly QueueJson[];
  /** The location of the outbox's rows, such as `outbox orders-outbox`; absent without one. */
  readonly outbox?: string;
  /** Whether a person may send messages to a queue. */
  readonly canSend: boolean;
  readonly version: string;
  /** States that an index counts and lists. Other states need a scan. */
  readonly indexedStates: readonly ClaimState[];
}

/** Every error of the API. */
export interface ErrorJson {
  readonly error: { readonly code: string; readonly message: string };
}

/** A number of claims with its accuracy. */
export interface Count {
  readonly count: number | null;
  /** `exact`: counted now. `as-of`: counted at `asOf`. `estimate`: the database's own, maybe hours old. */
  readonly kind: 'exact' | 'at-least' | 'as-of' | 'estimate' | 'unknown';
  readonly asOf?: string;
}

/** A summary of an overdue claim. */
export interface OverdueJson {
  readonly key: string;
  readonly keyHash: string;
  /** The end of its lease, in epoch milliseconds. */
  readonly sinceMs: number;
  readonly lockedBy?: string;
  readonly attempt: number;
}

/** An owner of claims with its load. */
export interface HolderJson {
  /** The function and version, or the worker's name; null if the claims do not contain it. */
  readonly lockedBy: string | null;
  readonly running: number;
  readonly overdue: number;
  readonly oldestClaimedAt?: string;
}

/** A distribution of values with its buckets. */
export interface Histogram extends Distribution {
  /** Values above the previous bucket and up to `upTo`; the last bucket has no `upTo`. */
  readonly buckets: readonly { readonly upTo?: number; readonly count: number }[];
}

/** Statistics from a read of all claims. */
export interface StatisticsJson {
  readonly asOf: string;
  /** Whether every row was read. */
  readonly isWhole: boolean;
  readonly rowsRead: number;
  readonly readUnits?: number;
  /** The number of rows left out because only a newer version of batchlatch can read them. */
  readonly newerRows?: number;
  readonly waitingMs?: Histogram;
  readonly runningMs?: Histogram;
  readonly attempts?: Distribution;
  /** The length of each of `periods`. */
  readonly periodMs: number;
  readonly periods: readonly StatisticsPeriod[];
  /** The number of completed claims that end before they begin, because clocks differ. They count as 0. */
  readonly negativeTimes: number;
  /** The failed and parked claims by error, those of the most claims first. */
  readonly errors: readonly ErrorGroup[];
  /** The parked claims by kind. */
  readonly parkedKinds: Readonly<Record<ParkedKind, number>>;
  /** The time since the first attempt of each claim that is not completed. */
  readonly ageMs?: Histogram;
}

/** The rows that wait for a relay or for a person, in the event `overview`. */
export interface OutboxFactsJson {
  readonly waiting: Count;
  readonly parked: Count;
  readonly oldestWaitingAt?: string;
  readonly oldestParkedAt?: string;
  readonly error?: string;
}

/** The event `overview`. */
export interface Overview {
  readonly at: string;
  readonly counts: Readonly<Record<ClaimState, Count>>;
  readonly oldestOverdue?: { readonly key?: string; readonly since: string; readonly lockedBy?: string };
  /** The claims that are overdue longest. */
  readonly overdue: readonly OverdueJson[];
  readonly holders: readonly HolderJson[];
  /** False if there were too many claims to read them all. */
  readonly holdersAreWhole: boolean;
  readonly queues: readonly QueueFactsJson[];
  /** Absent if the console has no outbox, or has not read it yet. */
  readonly outbox?: OutboxFactsJson;
  readonly statistics?: StatisticsJson;
  readonly jobs: readonly JobJson[];
  readonly storeError?: string;
}

/** The event `job`. */
export interface JobJson {
  readonly id: string;
  readonly what: 'read' | 'change' | 'redrive' | 'outbox' | 'plan';
  readonly done: number;
  readonly total?: number;
  readonly ended?: 'whole' | 'aborted' | 'failed';
  readonly result?: unknown;
  readonly error?: string;
}

/** `GET /api/claims` */
export interface ClaimsJson {
  readonly claims: readonly ClaimJson[];
  /** Whether a search for any text found claims by their whole keys, and read nothing else. */
  readonly isExact?: true;
  readonly next?: string;
  readonly readBy: 'index' | 'scan';
  /** The missing index because of which the table was scanned. */
  readonly missingIndex?: string;
  readonly rowsRead: number;
  readonly readUnits?: number;
  /** The number of rows that are not claims. */
  readonly unreadable?: number;
  /** Rows that only a newer version of batchlatch can read. */
  readonly newer?: readonly NewerRow[];
}

/** An event in the history of a claim. */
export type EventJson =
  | RedrivenJson
  | (TimelineEvent extends infer Event
      ? Event extends TimelineEvent
        ? Omit<Event, 'at'> & { readonly at: string | null }
        : never
      : never);

/** A person redrove or deleted the dead letter of the key, from a console of a team. */
export interface RedrivenJson {
  readonly kind: 'redriven';
  readonly at: string;
  readonly operator: string;
  readonly reason: string;
}

/** A started job. A server that keeps nothing between requests answers when it has ended. */
export interface StartedJson {
  readonly job: string;
  readonly ended?: JobJson;
}

/** The next thing that happens to a claim. */
export type NextStepJson = Omit<NextStep, 'at'> & { readonly at?: string };

/** `GET /api/claim` */
export interface ClaimDetailJson {
  readonly claim: ClaimJson;
  readonly events: readonly EventJson[];
  readonly next: NextStepJson;
  readonly logUrl?: string;
  readonly hasResult: boolean;
  /** The stored JSON text, with all digits of its numbers; only for `result=1`. */
  readonly result?: string;
}

/** A filter for the claims of a plan. */
export interface FilterJson extends Pick<Narrowing, 'type' | 'error' | 'holder' | 'past'> {
  readonly state?: ClaimState;
  /** Only parked claims of this kind. */
  readonly parked?: ParkedKind;
  /** Only failed claims that a person released, or the others. */
  readonly released?: 'yes' | 'no';
  readonly by?: 'any' | 'key' | 'prefix' | 'record' | 'hash';
  readonly q?: string;
  /** The numbers of a `Narrowing`, as digits: an address has them as text. */
  readonly endedFrom?: string;
  readonly endedBefore?: string;
  readonly ranMs?: string;
  readonly waitedMs?: string;
  readonly ageMs?: string;
}

/** `POST /api/plan` */
export interface PlanRequest {
  readonly operation: OperationKind;
  readonly filter?: FilterJson;
  /** The chosen claims, as the person saw them. */
  readonly claims?: readonly SeenJson[];
  readonly force?: boolean;
}

/** A claim as the person saw it. */
export interface SeenJson {
  readonly key: string;
  readonly status: string;
  readonly owner: string;
  readonly attempt: number | string;
}

/** A preview of a change. */
export interface PlanJson {
  readonly plan: string;
  readonly operation: OperationKind;
  readonly force: boolean;
  /** The number of claims in the plan. */
  readonly count: number;
  /** The number of them that would be changed. */
  readonly wouldChange: number;
  /** Whether the plan includes all matching claims. */
  readonly isWhole: boolean;
  readonly byState: Readonly<Record<ClaimState, number>>;
  readonly wouldBeRefused: Readonly<Record<RefusalReason, number>>;
  /** The chosen claims that cannot be read, and so are not changed; absent if there are none. */
  readonly notRead?: readonly { readonly key: string; readonly error: string }[];
  readonly sample: readonly ClaimJson[];
  readonly cost: {
    readonly rowsRead: number;
    readonly readUnits?: number;
    /** The number of rows that a filter found and only a newer version of batchlatch can read. */
    readonly newerRows?: number;
    readonly writes: number;
  };
  readonly expiresAt: string;
}

/** `POST /api/changes` */
export interface ChangesRequest {
  readonly plan: string;
  readonly reason: string;
  readonly result?: string;
  /** Must be true for `forget`. */
  readonly confirmed?: boolean;
}

/** `result` of a job `change`. */
export interface ChangesResult {
  readonly done: number;
  readonly refused: Readonly<Record<RefusalReason, number>>;
  readonly failed: number;
  /** The number of claims that were not sent because the job was stopped. */
  readonly notSent: number;
  /** The first 100 claims that were not changed. */
  readonly notChanged: readonly {
    readonly key: string;
    readonly why: RefusalReason | 'failed';
    readonly found?: ClaimJson;
    readonly error?: string;
  }[];
}

/** The event `action`, and a row of `GET /api/actions`. */
export interface ActionJson {
  readonly at: string;
  readonly operator: string;
  readonly what: OperationKind | 'redrive' | 'send' | 'release-row' | 'drop-row';
  readonly reason: string;
  readonly asked: number;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  readonly job: string;
  /** Absent while the action runs. */
  readonly ended?: 'whole' | 'aborted' | 'failed';
}
