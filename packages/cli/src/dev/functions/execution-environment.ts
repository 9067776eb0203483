import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { inProcessGroup, signalGroup } from '../emulators/process-group.ts';
import type { FromFunction, FunctionError, InvocationEnd, ToFunction } from './ipc-messages.ts';
import { outputLines } from './output-lines.ts';

/** A function's code, ready to load. */
export interface FunctionCode {
  /** The path of the module. */
  readonly module: string;
  readonly exportName: string;
  /** The handler as in the template. */
  readonly handler: string;
  /** The working directory. */
  readonly taskRoot: string;
}

/** A line that a function printed. */
export interface PrintedLine {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface ExecutionEnvironmentOptions {
  /** The path of the compiled `function-process`. */
  readonly program: string;
  readonly name: string;
  readonly code: FunctionCode;
  /** The whole environment: no other variables are passed on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** How long after the timeout an answer may arrive, as on a busy machine. Default: 0, as in Lambda. */
  readonly graceMs?: number | undefined;
  readonly functionArn: string;
  /** The loopback port for a debugger, which disables the timeout: the process may stand at a breakpoint. */
  readonly inspectPort?: number | undefined;
  readonly onLine: (line: PrintedLine) => void;
  /** Called when the process has exited for any reason. */
  readonly onExit: () => void;
}

/** A process that runs one invocation at a time. */
export interface ExecutionEnvironment {
  readonly pid: number;
  readonly isAlive: boolean;
  /** Resolves to the time to start and load, or to the failure, after which the process is gone. */
  readonly loaded: Promise<{ readonly initMs: number } | { readonly failed: InvocationEnd }>;
  /** Call it after `loaded`, and after the end of the previous invocation. Never rejects. */
  invoke(requestId: string, payload: string): Promise<InvocationEnd>;
  /** Kills the process and its descendants, and resolves when it is gone. */
  stop(): Promise<void>;
}

/** The share of memory for V8's heap, as in Lambda. */
const HEAP_SHARE = 0.9;
/** Lambda's limit for the init phase; the function's timeout if that is longer. */
const INIT_WITHIN_MS = 10_000;
/** How long an answer waits for the output before it. */
const OUTPUT_WITHIN_MS = 500;

/** Starts a process and loads the function in it. */
export function startExecutionEnvironment(options: ExecutionEnvironmentOptions): ExecutionEnvironment {
  const since = performance.now();
  const child = launch(options);
  const output = followOutput(child, options);
  let onMessage: (message: FromFunction) => void = () => undefined;
  let onGone: (end: InvocationEnd) => void = () => undefined;

  child.on('message', (message: FromFunction) => onMessage(message));
  const gone = new Promise<void>((resolve) => {
    const leave = (code: number | null, signal: string | null): void => {
      // Ends descendants and the watcher.
      signalGroup(child.pid, 'SIGKILL');
      void output.ended().then(() => {
        // A descendant outside the group that has the streams would keep this process alive.
        child.stdout?.destroy();
        child.stderr?.destroy();
        onGone(exitError(code, signal));
        options.onExit();
        resolve();
      });
    };
    child.once('exit', leave);
    child.once('error', () => {
      if (child.pid === undefined) leave(null, 'could not be started');
    });
  });

  /** Sends a message; resolves to the answer or the end of the process, which is killed after `withinMs`. */
  function ask(
    message: ToFunction,
    { withinMs, late }: { withinMs: number; late: () => InvocationEnd },
  ): Promise<FromFunction | InvocationEnd> {
    return new Promise((resolve) => {
      const marked = output.nextMarks();
      let killing: NodeJS.Immediate | undefined;
      const onLate = (): void => {
        // First handle an answer that has already arrived: the process may have its next invocation.
        killing = setImmediate(() => {
          onGone = () => resolve(late());
          signalGroup(child.pid, 'SIGKILL');
        });
      };
      const timer = options.inspectPort === undefined ? setTimeout(onLate, withinMs) : undefined;
      onMessage = (answer) => {
        clearTimeout(timer);
        clearImmediate(killing);
        onMessage = onGone = () => undefined;
        // Wait only so long: a full pipe may lose its mark.
        void before(marked, OUTPUT_WITHIN_MS).then(() => resolve(answer));
      };
      onGone = (end) => {
        clearTimeout(timer);
        resolve(end);
      };
      // A dead child is reported by its exit.
      if (isAlive(child)) child.send(message, () => undefined);
      else void gone.then(() => onGone(exitError(child.exitCode, child.signalCode)));
    });
  }

  async function load(): Promise<{ initMs: number } | { failed: InvocationEnd }> {
    const { module, exportName, handler } = options.code;
    const withinMs = Math.max(INIT_WITHIN_MS, options.timeoutMs);
    const answer = await ask(
      { type: 'load', module, exportName, handler, mark: output.mark },
      {
        withinMs,
        late: () => failed('timeout', 'Sandbox.Timedout', `Error: Init timed out after ${seconds(withinMs)}`),
      },
    );
    if (answer.type === 'loaded') return { initMs: performance.now() - since };
    if (answer.type !== 'notLoaded') return { failed: answer as InvocationEnd };
    signalGroup(child.pid, 'SIGKILL');
    await gone;
    return { failed: { type: 'failed', by: 'load', error: answer.error } };
  }

  return {
    pid: child.pid ?? -1,
    get isAlive() {
      return isAlive(child);
    },
    loaded: load(),
    async invoke(requestId, payload) {
      const { timeoutMs, graceMs = 0, functionArn } = options;
      const answer = await ask(
        {
          type: 'invoke',
          requestId,
          payload,
          deadline: Date.now() + timeoutMs,
          functionArn,
          traceId: newTraceId(),
        },
        {
          withinMs: timeoutMs + graceMs,
          late: () =>
            failed('timeout', 'Sandbox.Timedout', `Error: Task timed out after ${seconds(timeoutMs)}`),
        },
      );
      if ('exits' in answer) {
        signalGroup(child.pid, 'SIGKILL');
        await gone;
      }
      return withRequestId(endOf(answer), requestId);
    },
    async stop() {
      signalGroup(child.pid, 'SIGKILL');
      await gone;
    },
  };
}

/** Returns a trace id as Lambda's with passive tracing: not sampled. */
function newTraceId(): string {
  const time = Math.floor(Date.now() / 1_000).toString(16);
  return `Root=1-${time}-${randomHex(12)};Parent=${randomHex(8)};Sampled=0`;
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

function launch({
  program,
  name,
  code,
  environment,
  memoryMb,
  inspectPort,
}: ExecutionEnvironmentOptions): ChildProcess {
  const heapMb = Math.max(Math.floor(memoryMb * HEAP_SHARE), 1);
  const inspect = inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectPort}`];
  const node = ['--enable-source-maps', `--max-old-space-size=${heapMb}`, ...inspect, program];
  const { command, args } = inProcessGroup(name, process.execPath, node);
  return spawn(command, args, {
    cwd: code.taskRoot,
    env: { ...environment },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
}

/** Reports the lines of both streams, and tells when all output of an invocation has been read. */
function followOutput(
  child: ChildProcess,
  { onLine }: ExecutionEnvironmentOptions,
): { readonly mark: string; nextMarks(): Promise<void>; ended(): Promise<void> } {
  const mark = `--- ${randomUUID()} ---`;
  let left = 0;
  let onMarks: () => void = () => undefined;
  const onMark = (): void => {
    left -= 1;
    if (left === 0) onMarks();
  };
  const ends = (['stdout', 'stderr'] as const).map((stream) => {
    const lines = outputLines(mark, (text) => onLine({ stream, text }), onMark);
    child[stream]?.on('data', (chunk: Buffer) => lines.write(chunk));
    return new Promise<void>((resolve) => {
      child[stream]?.once('close', () => {
        lines.end();
        resolve();
      });
    });
  });
  return {
    mark,
    /** Call it before the message is sent. */
    nextMarks() {
      left = ends.length;
      return new Promise((resolve) => {
        onMarks = resolve;
      });
    },
    // A descendant outside the group may keep a stream open.
    ended: () => before(Promise.all(ends), OUTPUT_WITHIN_MS),
  };
}

async function before(event: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([event, late]);
  clearTimeout(timer);
}

function endOf(answer: FromFunction | InvocationEnd): InvocationEnd {
  switch (answer.type) {
    case 'returned':
      return { type: 'returned', payload: answer.payload };
    case 'failed':
      return 'by' in answer ? answer : { type: 'failed', by: 'handler', error: answer.error };
    case 'throttled':
      return answer;
    case 'loaded':
    case 'notLoaded':
      return failed('exit', 'Runtime.ExitError', 'Error: Runtime exited without providing a reason');
  }
}

/** Adds the request id to errors of the runtime, as Lambda does. */
export function withRequestId(end: InvocationEnd, requestId: string): InvocationEnd {
  if (end.type !== 'failed' || end.by === 'handler' || end.by === 'load') return end;
  const error: FunctionError = {
    ...end.error,
    errorMessage: `RequestId: ${requestId} ${end.error.errorMessage}`,
  };
  return { ...end, error };
}

function exitError(code: number | null, signal: string | null): InvocationEnd {
  if (code === 0)
    return failed('exit', 'Runtime.ExitError', 'Error: Runtime exited without providing a reason');
  const how = signal === null ? `exit status ${code}` : `signal: ${SIGNALS[signal] ?? signal}`;
  return failed('exit', 'Runtime.ExitError', `Error: Runtime exited with error: ${how}`);
}

/** Signals, as Go names them. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGABRT: 'aborted',
  SIGTERM: 'terminated',
  SIGSEGV: 'segmentation fault',
};

function failed(by: 'exit' | 'timeout', errorType: string, errorMessage: string): InvocationEnd {
  return { type: 'failed', by, error: { errorType, errorMessage } };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} seconds`;
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null && child.connected;
}
