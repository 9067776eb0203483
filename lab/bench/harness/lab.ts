import {
  type DynamoDBEmulator,
  startDynamoDBEmulator,
} from '../../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { type ContenderName, type ServerName, serverOf } from '../contenders/index.ts';
import { WorkerProcess } from './worker-process.ts';

/** Where a run happens: the servers, and a process for each contender. Everything ends with `close`. */
export interface Lab {
  readonly emulator: DynamoDBEmulator;
  /** Where contenders find a server from now on; the DynamoDB emulator is there from the start. */
  serve(server: ServerName, endpoint: string): void;
  /** Where a contender's claims are kept; empty for memory. Throws where its server was not started. */
  endpointOf(contender: ContenderName): string;
  /** The process of a contender; the same one each time, so that it stays warm. */
  workerOf(contender: ContenderName): WorkerProcess;
  /** Contenders whose code has been compiled by enough work. */
  readonly warm: Set<ContenderName>;
  /** Something more to be stopped at the end. */
  add<Stoppable extends { stop(): Promise<void> }>(one: Stoppable): Stoppable;
  close(): Promise<void>;
}

export async function openLab(): Promise<Lab> {
  const emulator = await startDynamoDBEmulator('dynoxide');
  const endpoints = new Map<ServerName, string>([['dynamodb', emulator.endpoint]]);
  const workers = new Map<ContenderName, WorkerProcess>();
  const others: { stop(): Promise<void> }[] = [];
  return {
    emulator,
    serve: (server, endpoint) => void endpoints.set(server, endpoint),
    endpointOf(contender) {
      const server = serverOf(contender);
      if (server === undefined) return '';
      const endpoint = endpoints.get(server);
      if (endpoint === undefined) throw new Error(`${server} was not started`);
      return endpoint;
    },
    warm: new Set(),
    workerOf(contender) {
      let worker = workers.get(contender);
      if (worker === undefined) {
        worker = new WorkerProcess();
        workers.set(contender, worker);
      }
      return worker;
    },
    add(one) {
      others.push(one);
      return one;
    },
    async close() {
      await Promise.all([...workers.values()].map((one) => one.stop()));
      // A server that has connections may wait for them.
      await Promise.all([...others, emulator].map((one) => one.stop()));
    },
  };
}
