/**
 * What the console's server and its pages tell each other, as JSON. Times are ISO 8601 unless their name ends in `Ms`. Numbers
 * that JSON's readers would round, beyond 2^53, are strings.
 */
import type {
  ClaimJson,
  ClaimState,
  Distribution,
  NewerRow,
  OperationKind,
  ParkedKind,
  RefusalReason,
  SentBy,
  StatisticsPeriod,
  StoredError,
  TimelineEvent,
} from 'batchlatch/operations';

/** `GET /api/session` */
export interface Session {
  /** Where the claims are, such as `table claims`. */
  readonly place: string;
  readonly operator: string;
  readonly allowChanges: boolean;
  /** Whether all claims are read every few seconds while somebody looks. */
  readonly readsBySelf: boolean;
  readonly estimatedRows?: number;
  readonly queues: readonly QueueJson[];
  readonly version: string;
  /** States that an index counts and lists; of the others every row is read. */
  readonly indexedStates: readonly ClaimState[];
}

/** A queue that the console was started with. */
export interface QueueJson {
  readonly name: string;
  readonly url: string;
  readonly isDeadLetter: boolean;
}

/** Every error of the API. */
export interface ErrorJson {
  readonly error: { readonly code: string; readonly message: string };
}

/** A number of claims, and how well it is known. */
export interface Count {
  readonly count: number | null;
  /** `exact`: counted now. `as-of`: counted at `asOf`. `estimate`: by the database's own, which may be hours old. */
  readonly kind: 'exact' | 'at-least' | 'as-of' | 'estimate' | 'unknown';
  readonly asOf?: string;
}

/** An overdue claim at a glance. */
export interface OverdueJson {
  readonly key: string;
  readonly keyHash: string;
  /** Since when, in epoch milliseconds: the end of its lease. */
  readonly sinceMs: number;
  readonly lockedBy?: string;
  readonly attempt: number;
}

/** Who holds claims, with their load. */
export interface HolderJson {
  /** Function and version, or what the worker calls itself; null where claims do not say. */
  readonly lockedBy: string | null;
  readonly running: number;
  readonly overdue: number;
  readonly oldestClaimedAt?: string;
}

/** A queue at a glance. */
export interface QueueFactsJson extends QueueJson {
  readonly waiting?: number;
  readonly inFlight?: number;
  readonly delayed?: number;
  readonly oldestAgeMs?: number;
  /** How many message groups keep the others waiting, where CloudWatch says. */
  readonly noisyGroups?: number;
  readonly error?: string;
}

/** How values lie, and how many are in each stretch. */
export interface Histogram extends Distribution {
  /** Those up to `upTo` and above the bucket before; without `upTo`: all above. */
  readonly buckets: readonly { readonly upTo?: number; readonly count: number }[];
}

/** What a read of all claims found. */
export interface StatisticsJson {
  readonly asOf: string;
  /** Whether every row was seen. */
  readonly isWhole: boolean;
  readonly rowsRead: number;
  readonly readUnits?: number;
  readonly waitingMs?: Histogram;
  readonly runningMs?: Histogram;
  readonly attempts?: Distribution;
  /** How long each of `periods` is. */
  readonly periodMs: number;
  readonly periods: readonly StatisticsPeriod[];
  /** How many completed claims have an end before their begin, by clocks that differ; they count as 0. */
  readonly negativeTimes: number;
}

/** The event `overview`. */
export interface Overview {
  readonly at: string;
  readonly counts: Readonly<Record<ClaimState, Count>>;
  readonly oldestOverdue?: { readonly key?: string; readonly since: string; readonly lockedBy?: string };
  /** Those that are overdue longest. */
  readonly overdue: readonly OverdueJson[];
  readonly holders: readonly HolderJson[];
  /** False where there were too many claims to read them all. */
  readonly holdersAreWhole: boolean;
  readonly queues: readonly QueueFactsJson[];
  readonly statistics?: StatisticsJson;
  readonly jobs: readonly JobJson[];
  readonly storeError?: string;
}

/** The event `job`. */
export interface JobJson {
  readonly id: string;
  readonly what: 'read' | 'change' | 'redrive' | 'plan';
  readonly done: number;
  readonly total?: number;
  readonly ended?: 'whole' | 'aborted' | 'failed';
  readonly result?: unknown;
  readonly error?: string;
}

/** `GET /api/claims` */
export interface ClaimsJson {
  readonly claims: readonly ClaimJson[];
  readonly next?: string;
  readonly readBy: 'index' | 'scan';
  /** The index that the table lacks, and so was scanned. */
  readonly missingIndex?: string;
  readonly rowsRead: number;
  readonly readUnits?: number;
  readonly unreadable?: number;
  /** Rows that only a newer version of batchlatch reads. */
  readonly newer?: readonly NewerRow[];
}

/** One event of a claim's past. */
export type EventJson = TimelineEvent extends infer Event
  ? Event extends TimelineEvent
    ? Omit<Event, 'at'> & { readonly at: string | null }
    : never
  : never;

/** `GET /api/claim` */
export interface ClaimDetailJson {
  readonly claim: ClaimJson;
  readonly events: readonly EventJson[];
  readonly logUrl?: string;
  readonly hasResult: boolean;
  /** Of `result=1`: the JSON text as it is stored, so that no number of it is rounded. */
  readonly result?: string;
}

/** Which claims a plan is for. */
export interface FilterJson {
  readonly state?: ClaimState;
  /** Only parked claims of this kind. */
  readonly parked?: ParkedKind;
  readonly by?: 'key' | 'prefix' | 'record' | 'hash';
  readonly q?: string;
}

/** `POST /api/plan` */
export interface PlanRequest {
  readonly operation: OperationKind;
  readonly filter?: FilterJson;
  /** As the person saw them. */
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

/** What a change would do. */
export interface PlanJson {
  readonly plan: string;
  readonly operation: OperationKind;
  readonly force: boolean;
  /** How many claims are in it. */
  readonly count: number;
  /** How many of them would be changed. */
  readonly wouldChange: number;
  /** Whether these are all that match. */
  readonly isWhole: boolean;
  readonly byState: Readonly<Record<ClaimState, number>>;
  readonly wouldBeRefused: Readonly<Record<RefusalReason, number>>;
  readonly sample: readonly ClaimJson[];
  readonly cost: { readonly rowsRead: number; readonly readUnits?: number; readonly writes: number };
  readonly expiresAt: string;
}

/** `POST /api/changes` */
export interface ChangesRequest {
  readonly plan: string;
  readonly reason: string;
  readonly result?: string;
  /** Of `forget`: must be true. */
  readonly confirmed?: boolean;
}

/** `result` of a job `change`. */
export interface ChangesResult {
  readonly done: number;
  readonly refused: Readonly<Record<RefusalReason, number>>;
  readonly failed: number;
  /** Of a job that was stopped: how many were not sent. */
  readonly notSent: number;
  /** The first 100 that were not changed. */
  readonly notChanged: readonly {
    readonly key: string;
    readonly why: RefusalReason | 'failed';
    readonly found?: ClaimJson;
    readonly error?: string;
  }[];
}

/** A message of a dead-letter queue. */
export interface MessageJson {
  readonly messageId: string;
  readonly sentAt?: string;
  readonly receiveCount: number;
  readonly groupId?: string;
  readonly sentBy: SentBy;
  readonly source?: string;
  readonly recordId: string;
  readonly error?: StoredError;
  readonly key?: string;
  readonly claims: readonly ClaimJson[];
  /** In characters. */
  readonly bodyLength: number;
}

/** `POST /api/dead-letters/peek` */
export interface PeekJson {
  readonly messages: readonly MessageJson[];
  readonly isWhole: boolean;
  readonly total: number;
  readonly stillHidden: number;
  /** Absent where claims did not have to be searched for. `isWhole` false: not all parked claims were searched; ask with `scan`. */
  readonly parkedRead?: {
    readonly readBy: 'index' | 'scan';
    readonly rowsRead: number;
    readonly isWhole: boolean;
  };
}

/** The event `action`, and a row of `GET /api/actions`. */
export interface ActionJson {
  readonly at: string;
  readonly operator: string;
  readonly what: OperationKind | 'redrive';
  readonly reason: string;
  readonly asked: number;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  readonly job: string;
  /** Absent while it runs. */
  readonly ended?: 'whole' | 'aborted' | 'failed';
}
