import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { LoadJob, LoadResult } from '../worker/load-function.ts';
import { BUILD } from './paths.ts';
import { MEASURED_ENVIRONMENT } from './worker-process.ts';

export interface LoadOptions {
  readonly endpoint: string;
  readonly tableName: string;
  /** Trusted beside Node's own. */
  readonly certificateFile?: string | undefined;
}

/** Loads a bundle in a new process, with one event, and answers how long that took. */
export async function loadInNewProcess(
  job: LoadJob,
  { endpoint, tableName, certificateFile }: LoadOptions,
): Promise<LoadResult> {
  const child = fork(path.join(BUILD, 'load-function.mjs'), [], {
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      ...MEASURED_ENVIRONMENT,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      CLAIMS_TABLE_NAME: tableName,
      ...(certificateFile !== undefined && { NODE_EXTRA_CA_CERTS: certificateFile }),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const answered = once(child, 'message');
  answered.catch(() => undefined);
  child.send(job);
  const first = (await Promise.race([answered, exited])) as [LoadResult | number];
  if (typeof first[0] !== 'object') throw new Error(`A bundle did not load: exit code ${first[0]}`);
  await exited;
  return first[0];
}
