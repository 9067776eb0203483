import type { Context } from 'aws-lambda';
import type { BatchResponse } from '../../../src/sources/answers.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Invocation } from './invocation.ts';
import type { SimQueue } from './sim-queue.ts';

/** The code under test, as one process runs it. */
export type Processor = (event: unknown, lambda?: Context) => Promise<BatchResponse | undefined>;

export interface WorkerSetup {
  readonly world: World;
  readonly queue: SimQueue;
  readonly onInvoke: (invocation: Invocation) => void;
  readonly onAnswer: (invocation: Invocation, response: BatchResponse | undefined) => void;
  readonly onFailure: (invocation: Invocation, error: unknown) => void;
  readonly onTimeout: (invocation: Invocation) => void;
  readonly startProcessors: (process: SimProcess) => readonly Processor[];
}
