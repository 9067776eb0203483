import { randomUUID } from 'node:crypto';
import {
  type ExecutionEnvironment,
  type ExecutionEnvironmentOptions,
  type FunctionCode,
  startExecutionEnvironment,
  withRequestId,
} from './execution-environment.ts';
import type { Invocation, InvocationEnd } from './ipc-messages.ts';

export interface FunctionPoolOptions extends Omit<ExecutionEnvironmentOptions, 'code' | 'onExit'> {
  /** The most concurrent invocations, beyond which they are throttled; undefined: no limit. */
  readonly reservedConcurrency: number | undefined;
  /** The most processes; further invocations wait. Default: 50, or 1 with `inspectPort`. */
  readonly maxProcesses?: number;
}

export interface FunctionPool {
  /** Invocations that run or wait. */
  readonly running: number;
  /** The process ids of its execution environments. */
  readonly pids: readonly number[];
  /** Runs the function on an event, given as JSON, in an idle process or a new one. Never rejects. */
  invoke(payload: string, requestId?: string): Promise<Invocation>;
  /** Kills the process of an invocation; returns whether there was one. */
  kill(requestId: string): boolean;
  /** Uses this code for the next invocations; running ones finish with the old code. */
  replace(code: FunctionCode): void;
  /** Kills every process; running invocations fail. */
  close(): Promise<void>;
}

const MAX_PROCESSES = 50;
const THROTTLED: InvocationEnd = { type: 'throttled' };

interface Member {
  readonly environment: ExecutionEnvironment;
  readonly code: FunctionCode;
  isUsed: boolean;
}

/** Creates the processes of one function: started on demand, and kept for the next invocation. */
export function createFunctionPool(firstCode: FunctionCode, options: FunctionPoolOptions): FunctionPool {
  const { reservedConcurrency = Number.POSITIVE_INFINITY, inspectPort } = options;
  const { maxProcesses = inspectPort === undefined ? MAX_PROCESSES : 1 } = options;
  const members = new Set<Member>();
  const idle: Member[] = [];
  const waiting: (() => void)[] = [];
  const byRequest = new Map<string, ExecutionEnvironment>();
  let code = firstCode;
  let running = 0;
  let isClosed = false;

  function start(): Member {
    const environment = startExecutionEnvironment({
      ...options,
      code,
      onExit() {
        members.delete(member);
        const place = idle.indexOf(member);
        if (place >= 0) idle.splice(place, 1);
        waiting.shift()?.();
      },
    });
    const member: Member = { environment, code, isUsed: false };
    members.add(member);
    return member;
  }

  /** Returns a free process; undefined once closed. */
  async function acquire(): Promise<Member | undefined> {
    while (!isClosed) {
      // The last one used is warmest; a dead one may still be in the list.
      const member = idle.pop();
      if (member?.environment.isAlive === true) return member;
      if (member === undefined && members.size < maxProcesses) return start();
      if (member === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
    }
    return undefined;
  }

  function giveBack(member: Member): void {
    if (!member.environment.isAlive) return; // `onExit` removes it
    if (isClosed || member.code !== code) {
      void member.environment.stop();
      return;
    }
    idle.push(member);
    waiting.shift()?.();
  }

  async function run(payload: string, requestId: string): Promise<Invocation> {
    const member = await acquire();
    if (member === undefined) return { requestId, end: THROTTLED, durationMs: 0 };
    const { environment } = member;
    try {
      const loaded = await environment.loaded;
      if ('failed' in loaded) {
        return { requestId, end: withRequestId(loaded.failed, requestId), durationMs: 0 };
      }
      const initMs = member.isUsed ? undefined : loaded.initMs;
      member.isUsed = true;
      byRequest.set(requestId, environment);
      const since = performance.now();
      const end = await environment.invoke(requestId, payload);
      const durationMs = performance.now() - since;
      return { requestId, end, durationMs, ...(initMs !== undefined && { initMs }) };
    } finally {
      byRequest.delete(requestId);
      giveBack(member);
    }
  }

  /** Starts a process ahead, so that a debugger can attach before the first invocation of any code. */
  function startInspected(): void {
    if (inspectPort === undefined || isClosed || members.size > 0) return;
    idle.push(start());
    waiting.shift()?.();
  }
  startInspected();

  return {
    get running() {
      return running;
    },
    get pids() {
      return [...members].map(({ environment }) => environment.pid);
    },
    async invoke(payload, requestId = randomUUID()) {
      if (isClosed || running >= reservedConcurrency) return { requestId, end: THROTTLED, durationMs: 0 };
      running += 1;
      try {
        return await run(payload, requestId);
      } finally {
        running -= 1;
      }
    },
    kill(requestId) {
      const environment = byRequest.get(requestId);
      void environment?.stop();
      return environment !== undefined;
    },
    replace(next) {
      code = next;
      for (const member of idle.splice(0)) void member.environment.stop().then(startInspected);
    },
    async close() {
      isClosed = true;
      for (const resolve of waiting.splice(0)) resolve();
      await Promise.all([...members].map(({ environment }) => environment.stop()));
    },
  };
}
