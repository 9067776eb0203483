import { type DynamoDBEmulator, startDynamoDBEmulator } from '../../local/emulators/dynamodb-emulator.ts';
import type { ContenderName } from '../contenders/index.ts';
import { WorkerProcess } from './worker-process.ts';

/** Where a run happens: the emulator, and a process for each contender. Everything ends with `close`. */
export interface Lab {
  readonly emulator: DynamoDBEmulator;
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
  const workers = new Map<ContenderName, WorkerProcess>();
  const others: { stop(): Promise<void> }[] = [];
  return {
    emulator,
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
      const all = [...workers.values(), ...others, emulator];
      await Promise.all(all.map((one) => one.stop()));
    },
  };
}
