/** The outcome of a record, or a step on its way that concerns a person. */
export interface RecordOutcome {
  readonly requestId: string | undefined;
  readonly recordId: string;
  /** `completed`, `failed` or another word for a person. */
  readonly outcome: string;
  readonly weight: 'good' | 'quiet' | 'warning' | 'bad';
  readonly durationMs?: number;
  readonly attempt?: number;
  /** The reason: the error, or batchlatch's own. */
  readonly reason?: string;
}

/** A line of batchlatch's log with its outcomes, which may be none. */
interface LoggedLine {
  readonly requestId: string | undefined;
  readonly outcomes: readonly RecordOutcome[];
}

type Fields = Readonly<Record<string, unknown>>;

type Shown = readonly [outcome: string, weight: RecordOutcome['weight']];

/** The outcomes by event type. Other types are not shown. */
const SHOWN: Readonly<Record<string, Shown>> = {
  duplicate: ['duplicate', 'quiet'],
  conflict: ['in progress elsewhere', 'warning'],
  mismatch: ['another payload under the same key', 'bad'],
  claimFailed: ['not claimed', 'bad'],
  invalid: ['invalid', 'bad'],
  decodeFailed: ['not read', 'bad'],
  tookOver: ['taken over', 'warning'],
  committed: ['completed', 'good'],
  failedAfterCommit: ['failed after its commit', 'warning'],
  abandoned: ['out of time', 'bad'],
  stuck: ['still running', 'bad'],
  parked: ['parked', 'bad'],
  deadLettered: ['sent to the dead-letter queue', 'warning'],
  deadLetterFailed: ['not taken by the dead-letter queue', 'bad'],
  withoutClaim: ['without a claim', 'bad'],
  leaseLost: ['claim lost', 'bad'],
  settleFailed: ['not stored', 'bad'],
  resultDropped: ['result not stored', 'warning'],
  notStarted: ['not started', 'quiet'],
  visibilityNotChanged: ['visibility not changed', 'warning'],
};
/** Events that repeat another line, or prepare it. */
const SILENT = new Set(['claimed', 'started', 'succeeded', 'failed', 'settling', 'batchFinished']);
const ENDS: Readonly<Record<string, Shown>> = {
  complete: ['completed', 'good'],
  fail: ['failed', 'warning'],
  release: ['given back', 'quiet'],
};

/** A reader of one function's log. Durations of handlers come in separate lines. */
export interface OutcomeReader {
  /** Returns undefined if the line is not batchlatch's. */
  read(line: string): LoggedLine | undefined;
  /** Returns the failed records of an invocation that have no outcome yet, and forgets the invocation. */
  rest(requestId: string): readonly RecordOutcome[];
}

export function outcomeReader(): OutcomeReader {
  /** The runs of each invocation, by record. */
  const runs = new Map<string, Map<string, Fields>>();

  function outcomesOf(type: string, fields: Fields, requestId: string | undefined): RecordOutcome[] {
    const known = runs.get(requestId ?? '');
    const told = (one: Fields, shown: Shown): RecordOutcome => {
      const run = known?.get(recordIdOf(one)) ?? {};
      known?.delete(recordIdOf(one));
      const { error, durationMs } = run;
      return outcomeOf({ durationMs, ...(shown[0] !== 'completed' && { error }), ...one }, requestId, shown);
    };
    if (type === 'settling') {
      return membersOf(fields['ends']).flatMap((end) => {
        const kind = textOf(end['end']) ?? '';
        const shown = Object.hasOwn(ENDS, kind) ? ENDS[kind] : undefined;
        return shown === undefined ? [] : [told(end, shown)];
      });
    }
    const shown = SHOWN[type];
    return shown === undefined ? [] : [told(fields, shown)];
  }

  return {
    read(line) {
      const fields = fieldsOf(line);
      if (fields === undefined) return undefined;
      const requestId = textOf(fields['requestId']);
      if (fields['_aws'] !== undefined) return isOwnMetrics(fields) ? { requestId, outcomes: [] } : undefined;
      const type = textOf(fields['message']) ?? '';
      const isOurs = Object.hasOwn(SHOWN, type) || SILENT.has(type);
      if (!isOurs || !('timestamp' in fields) || !('level' in fields)) return undefined;
      if ((type === 'succeeded' || type === 'failed') && requestId !== undefined) {
        const known = runs.get(requestId) ?? new Map<string, Fields>();
        runs.set(requestId, known.set(recordIdOf(fields), fields));
      }
      return { requestId, outcomes: outcomesOf(type, fields, requestId) };
    },
    rest(requestId) {
      const left = [...(runs.get(requestId)?.values() ?? [])];
      runs.delete(requestId);
      return left
        .filter(({ message }) => message === 'failed')
        .map((fields) => outcomeOf(fields, requestId, ['failed', 'warning']));
    },
  };
}

function outcomeOf(fields: Fields, requestId: string | undefined, [outcome, weight]: Shown): RecordOutcome {
  const { durationMs, attempt } = fields;
  const reason = reasonOf(fields);
  return {
    requestId,
    recordId: recordIdOf(fields),
    outcome,
    weight,
    ...(typeof durationMs === 'number' && { durationMs }),
    ...(typeof attempt === 'number' && { attempt }),
    ...(reason !== undefined && { reason }),
  };
}

function reasonOf({ error, reason }: Fields): string | undefined {
  if (typeof reason === 'string') return reason;
  if (typeof error !== 'object' || error === null) return undefined;
  const { name, message } = error as Fields;
  return [textOf(name), textOf(message)].filter((part) => part !== undefined).join(': ');
}

/** Returns whether a line has batchlatch's metrics, in CloudWatch's format. */
function isOwnMetrics(fields: Fields): boolean {
  const metrics = membersOf((fields['_aws'] as Fields | null)?.['CloudWatchMetrics']);
  return metrics.some(({ Namespace }) => Namespace === 'batchlatch');
}

function fieldsOf(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Fields;
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): readonly Fields[] {
  return Array.isArray(value)
    ? (value.filter((one) => typeof one === 'object' && one !== null) as Fields[])
    : [];
}

/** Returns the record id. A function may print lines that resemble batchlatch's, so no member is certain. */
function recordIdOf(fields: Fields): string {
  return textOf(fields['recordId']) ?? '';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
