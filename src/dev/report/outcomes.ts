/** How a record ended, or what a person wants to know on the way. */
export interface RecordOutcome {
  readonly requestId: string | undefined;
  readonly recordId: string;
  /** Such as `completed` or `failed`. */
  readonly outcome: string;
  readonly weight: 'good' | 'quiet' | 'warning' | 'bad';
  readonly durationMs?: number;
  readonly attempt?: number;
  /** Why, in the words of the error, or of batchlatch. */
  readonly reason?: string;
}

/** A line that batchlatch has logged: its outcomes, and none where it says nothing that a person waits for. */
export interface LoggedLine {
  readonly requestId: string | undefined;
  readonly outcomes: readonly RecordOutcome[];
}

type Fields = Readonly<Record<string, unknown>>;

/** By the type of the event. What is not here is not shown. */
const SHOWN: Readonly<Record<string, readonly [outcome: string, weight: RecordOutcome['weight']]>> = {
  duplicate: ['duplicate', 'quiet'],
  conflict: ['in progress elsewhere', 'warning'],
  mismatch: ['another payload under the same key', 'bad'],
  claimFailed: ['not claimed', 'bad'],
  invalid: ['invalid', 'bad'],
  decodeFailed: ['not read', 'bad'],
  tookOver: ['taken over', 'warning'],
  failed: ['failed', 'warning'],
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
/** They say what another line says, or prepare it. */
const SILENT = new Set(['claimed', 'started', 'succeeded', 'settling', 'batchFinished']);
const ENDS: Readonly<Record<string, readonly [outcome: string, weight: RecordOutcome['weight']]>> = {
  complete: ['completed', 'good'],
  release: ['given back', 'quiet'],
};

/** Reads the lines of one function's log; the durations of handlers come in lines of their own. */
export interface OutcomeReader {
  /** Undefined where the line is not batchlatch's. */
  read(line: string): LoggedLine | undefined;
  /** Forgets what an invocation has said. */
  forget(requestId: string): void;
}

export function outcomeReader(): OutcomeReader {
  /** Of each invocation, by record. */
  const durations = new Map<string, Map<string, number>>();

  function outcomesOf(fields: Fields, requestId: string | undefined): RecordOutcome[] {
    const type = String(fields['message']);
    const known = durations.get(requestId ?? '');
    if (type === 'settling') {
      return membersOf(fields['ends']).flatMap((end): RecordOutcome[] => {
        const shown = ENDS[String(end['end'])];
        if (shown === undefined) return [];
        return [outcomeOf({ durationMs: known?.get(String(end['recordId'])), ...end }, requestId, shown)];
      });
    }
    const shown = SHOWN[type];
    return shown === undefined ? [] : [outcomeOf(fields, requestId, shown)];
  }

  return {
    read(line) {
      const fields = fieldsOf(line);
      if (fields === undefined) return undefined;
      const requestId = textOf(fields['requestId']);
      if (fields['_aws'] !== undefined) return isOwnMetrics(fields) ? { requestId, outcomes: [] } : undefined;
      const type = textOf(fields['message']) ?? '';
      const isOurs =
        (SHOWN[type] !== undefined || SILENT.has(type)) && 'timestamp' in fields && 'level' in fields;
      if (!isOurs) return undefined;
      if (type === 'succeeded' && requestId !== undefined) {
        const known = durations.get(requestId) ?? new Map<string, number>();
        known.set(String(fields['recordId']), Number(fields['durationMs']));
        durations.set(requestId, known);
      }
      return { requestId, outcomes: outcomesOf(fields, requestId) };
    },
    forget: (requestId) => void durations.delete(requestId),
  };
}

function outcomeOf(
  fields: Fields,
  requestId: string | undefined,
  [outcome, weight]: readonly [string, RecordOutcome['weight']],
): RecordOutcome {
  const { durationMs, attempt } = fields;
  const reason = reasonOf(fields);
  return {
    requestId,
    recordId: textOf(fields['recordId']) ?? '',
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

/** CloudWatch's metrics format. */
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
