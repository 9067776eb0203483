import { contenders, type ContenderName, serverOf } from '../contenders/index.ts';
import type { BatchHandler } from '../contenders/contender.ts';
import { handlerOf, type Workload } from '../workload.ts';
import { ensureTable } from './table.ts';

interface Made {
  readonly name: string;
  readonly handler: BatchHandler;
}

let last: Made | undefined;
/** How long the handler takes now. One handler does all workloads, as a function has one. */
const pace = { handlerMs: 0 };

/** The contender's handler for a table; kept as long as the same is asked for, as a warm function keeps it. */
export async function handlerFor(
  contender: ContenderName,
  { endpoint, tableName }: { readonly endpoint: string; readonly tableName: string },
  { handlerMs }: Workload,
): Promise<BatchHandler> {
  pace.handlerMs = handlerMs;
  const name = JSON.stringify([contender, endpoint, tableName]);
  if (last?.name === name) return last.handler;
  if (serverOf(contender) === 'dynamodb') {
    await ensureTable(endpoint, tableName);
    // What a library makes by itself finds the emulator as it would find AWS: in the environment.
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
  }
  const make = await contenders[contender]();
  last = { name, handler: await make({ endpoint, tableName, handler: handlerOf(pace) }) };
  return last.handler;
}
