import { ConfigurationError } from '../tool-base/errors.ts';
import { examine } from './examine.ts';
import { TABLE_NAME_VARIABLE } from './claims-table-of.ts';
import type { DoctorReport } from './finding.ts';
import type { DoctorClients } from './live/clients.ts';
import { readLiveFunction, readLiveMappings } from './live/live-function.ts';
import { readLiveGroups } from './live/live-groups.ts';
import { readLiveQueue, readLiveQueueOfArn } from './live/live-queues.ts';
import { LiveReading } from './live/live-reading.ts';
import { readLiveTable } from './live/live-table.ts';
import type { LambdaFunction, Mapping, Queue, Table } from '../template/model.ts';

/** The deployed resources to check: one or several. */
export interface LiveTarget {
  readonly queueUrl?: string;
  readonly tableName?: string;
  /** Name or ARN. */
  readonly functionName?: string;
  /** Whether the rows of the table have Powertools' attributes. Default: false. */
  readonly isPowertools?: boolean;
  /** Whether to report optional findings too. Default: false. */
  readonly all?: boolean;
}

/**
 * Finds mistakes in deployed resources, and in those they are connected to. Writes nothing. Lists in
 * `skipped` what it has no permission to read. Throws a `ConfigurationError` if a resource of the target does
 * not exist.
 */
export async function doctorLive(
  clients: DoctorClients,
  { queueUrl, tableName, functionName, isPowertools = false, all }: LiveTarget,
): Promise<DoctorReport> {
  const { sqs, dynamoDB, lambda, iam, logs } = clients;
  const now = Date.now();
  const reading = new LiveReading();
  needed(queueUrl, sqs, 'queue', 'SQS');
  needed(tableName, dynamoDB, 'table', 'DynamoDB');
  needed(functionName, lambda, 'function', 'Lambda');
  const queues = new Map<string, Queue>();
  const functions = new Map<string, LambdaFunction>();
  const mappings = new Map<string, Mapping>();
  const tables = new Map<string, Table>();
  const addQueues = (found: readonly Queue[]): void => found.forEach((queue) => queues.set(queue.id, queue));
  const addMappings = (found: readonly Mapping[]): void => found.forEach((one) => mappings.set(one.id, one));
  const addFunction = async (name: string, ofMapping = false): Promise<LambdaFunction | undefined> => {
    if (lambda === undefined || functions.has(name)) return functions.get(name);
    const found = await readLiveFunction({ lambda, iam }, name, reading, ofMapping);
    if (found !== undefined) functions.set(found.id, found);
    return found;
  };

  if (queueUrl !== undefined && sqs !== undefined) {
    const [queue, ...others] = await readLiveQueue(sqs, queueUrl, reading);
    addQueues(queue === undefined ? [] : [queue, ...others]);
    if (queue !== undefined && lambda !== undefined) {
      addMappings(await readLiveMappings(lambda, { EventSourceArn: queue.id }, reading));
    }
  }
  if (functionName !== undefined && lambda !== undefined) {
    const found = await addFunction(functionName);
    // With the alias or version that was named: Lambda lists its mappings apart from the function's.
    const FunctionName = functionName;
    if (found !== undefined) addMappings(await readLiveMappings(lambda, { FunctionName }, reading));
  }
  for (const { kind, source, functionId = '' } of mappings.values()) {
    await addFunction(functionId, true);
    if (kind === 'sqs' && sqs !== undefined && !queues.has(source.value ?? '')) {
      addQueues(await readLiveQueueOfArn(sqs, source.value ?? '', reading));
    }
  }
  const named = [...functions.values()].map(({ environment }) => environment.value?.get(TABLE_NAME_VARIABLE));
  for (const name of new Set([tableName, ...named])) {
    if (name === undefined || dynamoDB === undefined) continue;
    const table = await readLiveTable(dynamoDB, name, reading, name !== tableName);
    if (table !== undefined) tables.set(table.id, table);
  }
  return examine(
    {
      origin: 'live',
      now,
      queues: [...queues.values()],
      tables: [...tables.values()],
      functions: [...functions.values()],
      mappings: [...mappings.values()],
      triggers: [],
      subscribers: [],
      claimsTables: new Set(tables.keys()),
      isPowertools,
      groups: await readLiveGroups({ logs, functions, mappings: mappings.values(), now }),
    },
    reading.skipped,
    { all },
  );
}

function needed(name: string | undefined, client: object | undefined, what: string, service: string): void {
  if (name === undefined || client !== undefined) return;
  throw new ConfigurationError(
    `To look at the ${what} ${name}, doctor needs a client of ${service}; got none.`,
  );
}
