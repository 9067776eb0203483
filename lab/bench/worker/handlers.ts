import { contenders, type ContenderName, serverOf, usesDynamoDB } from '../contenders/index.ts';
import type { BatchHandler } from '../contenders/contender.ts';
import { handlerOf, type Workload } from '../workload.ts';
import { ensureTable } from './table.ts';

/** By endpoint and table: what some sections need more handlers for, the others do not start anew after them. */
const made = new Map<string, BatchHandler>();
/** How long the handler takes now. One handler does all workloads, as a function has one. */
const pace = { handlerMs: 0 };

/** The contender's handler for a table, the same each time, as a warm function keeps it. */
export async function handlerFor(
  contender: ContenderName,
  { endpoint, tableName }: { readonly endpoint: string; readonly tableName: string },
  { handlerMs }: Workload,
): Promise<BatchHandler> {
  pace.handlerMs = handlerMs;
  const name = `${endpoint} ${tableName}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  if (serverOf(contender) === undefined) made.clear(); // with the claims that the last one has in memory
  if (usesDynamoDB(contender)) {
    await ensureTable(endpoint, tableName);
    // What a library makes by itself finds the emulator as it would find AWS: in the environment.
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
  }
  const make = await contenders[contender]();
  const handler = await make({ endpoint, tableName, handler: handlerOf(pace) });
  made.set(name, handler);
  return handler;
}
