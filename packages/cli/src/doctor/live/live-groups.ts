import type { LambdaFunction, Mapping, Setting } from '../../template/model.ts';
import type { GroupCounts } from '../examination.ts';
import type { LogsReader } from './clients.ts';

/** Fewer say little: ten messages of ten tenants have ten groups too. */
const LEAST_MESSAGES = 100;
/** The line of a batch that `jsonLines()` writes. */
const PATTERN = `{ $.groups.messages >= ${LEAST_MESSAGES} }`;

/** The newest hour alone, where it tells enough: what was deployed since then counts. */
const SEARCHED_MS = [3_600_000, 24 * 3_600_000];

interface GroupsInput {
  readonly logs: LogsReader | undefined;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly mappings: Iterable<Mapping>;
  readonly now: number;
}

/** Reads the message groups of the functions that standard queues invoke, by the function's id. */
export async function readLiveGroups({
  logs,
  functions,
  mappings,
  now,
}: GroupsInput): Promise<ReadonlyMap<string, Setting<GroupCounts>>> {
  const groups = new Map<string, Setting<GroupCounts>>();
  for (const { kind, isFifo, functionId = '' } of mappings) {
    const lambda = functions.get(functionId);
    if (kind !== 'sqs' || isFifo || lambda === undefined || groups.has(functionId)) continue;
    groups.set(functionId, await countsOf(logs, lambda, now));
  }
  return groups;
}

/** Returns the counts of the newest line. A log that cannot be read, for any reason, leaves them unknown. */
async function countsOf(
  logs: LogsReader | undefined,
  { logGroup }: LambdaFunction,
  now: number,
): Promise<Setting<GroupCounts>> {
  if (logs === undefined || logGroup === undefined) {
    return { unknown: 'its log is not read without CloudWatch Logs' };
  }
  try {
    for (const within of SEARCHED_MS) {
      const lines = await logs({ logGroup, pattern: PATTERN, from: now - within, until: now });
      const counts = lines.map(groupsIn).findLast((one) => one !== undefined);
      if (counts !== undefined) return { value: counts };
    }
    return { value: undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    return { unknown: `${logGroup} cannot be read with logs:FilterLogEvents (${reason})` };
  }
}

function groupsIn(line: string): GroupCounts | undefined {
  try {
    const { messages, distinct } = (JSON.parse(line) as { groups: Record<keyof GroupCounts, unknown> })
      .groups;
    const isCounted = typeof messages === 'number' && typeof distinct === 'number';
    return isCounted && messages >= LEAST_MESSAGES ? { messages, distinct } : undefined;
  } catch {
    return undefined;
  }
}
