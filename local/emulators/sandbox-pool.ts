import type { Context, SQSEvent } from 'aws-lambda';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';

/** An invocation that is running. */
export interface RunningInvocation {
  readonly event: SQSEvent;
  readonly requestId: string;
  readonly sandbox: Sandbox;
}

/** Several sandboxes of one function; one that dies is replaced. */
export interface SandboxPool {
  /** Resolves once the first sandboxes can run something; rejects when one of them cannot. */
  readonly ready: Promise<void>;
  /** Runs in an idle sandbox, and waits for one where there is none. */
  invoke(event: SQSEvent, context: Context): Promise<unknown>;
  /** The invocation whose batch holds this message. */
  running(messageId: string): RunningInvocation | undefined;
  stop(): Promise<void>;
}

/** Starts `size` sandboxes side by side; the pool takes invocations at once. */
export function createSandboxPool(size: number, options: SandboxOptions): SandboxPool {
  const starting = new Set<Promise<void>>();
  const sandboxes = new Set<Sandbox>();
  const idle: Sandbox[] = [];
  const waiting: { resolve(sandbox: Sandbox): void; reject(error: Error): void }[] = [];
  const runningNow = new Set<RunningInvocation>();
  let trouble: Error | undefined;
  let isStopped = false;

  function start(): void {
    const started = startSandbox(options).then(
      (sandbox) => {
        sandboxes.add(sandbox);
        giveBack(sandbox);
      },
      (error: Error) => fail(error),
    );
    starting.add(started);
    void started.then(() => starting.delete(started));
  }

  function giveBack(sandbox: Sandbox): void {
    if (!sandbox.isAlive) {
      sandboxes.delete(sandbox);
      if (!isStopped) start();
      return;
    }
    const next = waiting.shift();
    if (next === undefined) idle.push(sandbox);
    else next.resolve(sandbox);
  }

  function fail(error: Error): void {
    trouble = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  }

  function acquire(): Promise<Sandbox> {
    if (trouble !== undefined) return Promise.reject(trouble);
    const sandbox = idle.shift();
    if (sandbox !== undefined) return Promise.resolve(sandbox);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  }

  for (let count = 0; count < size; count += 1) start();
  const ready = Promise.all(starting).then(() => {
    if (trouble !== undefined) throw trouble;
  });
  ready.catch(() => undefined); // for callers of `ready`; invocations report it too

  return {
    ready,
    async invoke(event, context) {
      const sandbox = await acquire();
      const invocation = { event, requestId: context.awsRequestId, sandbox };
      runningNow.add(invocation);
      try {
        return await sandbox.invoke(event, context);
      } finally {
        runningNow.delete(invocation);
        giveBack(sandbox);
      }
    },
    running: (messageId) =>
      [...runningNow].find(({ event }) => event.Records.some((record) => record.messageId === messageId)),
    async stop() {
      isStopped = true;
      fail(new Error('The sandboxes are stopped'));
      await Promise.all(starting);
      await Promise.all([...sandboxes].map((sandbox) => sandbox.stop()));
    },
  };
}
