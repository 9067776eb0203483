import { type ChildProcess, fork } from 'node:child_process';
import { hostname, userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { INTERRUPTED, runCli } from './run.ts';

// AWS's SDK warns about Node 20 when its first client is created; the commands load it later.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const TERMINATED = 143;
const stopping = new AbortController();
let stoppedWith = INTERRUPTED;
let stopsOnClosedPipe = false;
const copies = new Set<ChildProcess>();

for (const [name, status] of [
  ['SIGINT', INTERRUPTED],
  ['SIGTERM', TERMINATED],
] as const) {
  process.on(name, () => {
    if (stopping.signal.aborted) {
      // second signal
      for (const copy of copies) copy.kill('SIGKILL');
      process.exit(status);
    }
    stoppedWith = status;
    stopping.abort();
  });
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `| head` does.
    if (error.code !== 'EPIPE') throw error;
    if (stopsOnClosedPipe) stopping.abort();
    // A command whose progress or errors nobody reads goes on, and ends with its own status.
    else if (stream === process.stdout) process.exit(0);
  });
}

const status: number = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  now: () => Date.now(),
  signal: stopping.signal,
  sleep: (ms) => delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined),
  endSoon: () => void setTimeout(() => process.exit(), 1_000).unref(),
  stopOnClosedPipe: () => {
    stopsOnClosedPipe = true;
  },
  processes: { startAgain, onHangUp: (listener) => void process.on('SIGHUP', listener) },
  operator: () => `${userName()}@${hostname()}`.slice(0, 128),
});
process.exitCode = status === INTERRUPTED ? stoppedWith : status;

function startAgain(env: Readonly<Record<string, string>>): ChildProcess {
  const [, program = '', ...args] = process.argv;
  const copy = fork(program, args, { env: { ...process.env, ...env } });
  copies.add(copy);
  copy.once('exit', () => copies.delete(copy));
  return copy;
}

/** Returns the user's name. In a container the user may have none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] ?? 'unknown';
  }
}
