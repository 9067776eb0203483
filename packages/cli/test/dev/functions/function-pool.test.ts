import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import * as esbuild from 'esbuild';
import { freePort } from '../../../src/dev/emulators/free-port.ts';
import type { PrintedLine } from '../../../src/dev/functions/execution-environment.ts';
import { functionArn, functionEnvironment } from '../../../src/dev/functions/function-environment.ts';
import { createFunctionPool, type FunctionPool } from '../../../src/dev/functions/function-pool.ts';
import { functionProgram } from '../../../src/dev/functions/function-program.ts';
import type { DevFunction } from '../../../src/dev/stack.ts';
import { until } from '../../../../../test/support/until.ts';
import { devFunction, sources } from '../dev-function.ts';

const HANDLERS = `
import { execFile, spawn } from 'node:child_process';
let loads = 0;
loads += 1;
let calls = 0;
export const handler = async (event, context) => {
  calls += 1;
  console.log('call', calls);
  return { event, calls, context: { ...context, remaining: context.getRemainingTimeInMillis() } };
};
export const environment = async () => process.env;
export const fails = async () => { throw new TypeError('no such order'); };
export const throwsText = () => { throw 'text'; };
export const hangs = async () => { for (;;) {} };
export const waits = async (ms) => { await new Promise((resolve) => setTimeout(resolve, ms)); return process.pid; };
export const exits = async (status) => { console.log('last words'); process.exit(status); };
export const rejectsLater = async () => { Promise.reject(new Error('nobody waits')); await new Promise(() => {}).catch(); };
export const throwsLater = async () => { setTimeout(() => { throw new RangeError('later'); }); await new Promise((r) => setTimeout(r, 500)); };
export const eats = async () => { const all = []; for (;;) all.push(new Array(100_000).fill(all.length)); };
export const callsBack = (event, context, callback) => { setTimeout(() => callback(null, 'late'), 20); callback(null, 'first'); };
export const callsBackAtOnce = (event, context, callback) => {
  context.callbackWaitsForEmptyEventLoop = false;
  setInterval(() => {}, 1_000);
  callback(null, 'at once');
};
export const neverSettles = () => new Promise(() => {});
export const circular = async () => { const one = {}; one.one = one; return one; };
export const prints = async () => { process.stdout.write('no line feed'); process.stderr.write('an error'); };
export const leavesChild = async () => execFile('sleep', ['60']).pid;
export const leavesDaemon = async () => spawn('sleep', ['600'], { stdio: 'inherit', detached: true }).pid;
process.send?.('ready');
export const speaks = async () => { process.send?.({ type: 'ready' }); return 'spoken'; };
export const throwsObject = async () => { throw Object.assign(new Error(), { message: { code: 7 }, stack: 5 }); };
export const throwsNothing = async () => { throw Object.create(null); };
export const nested = { inner: async () => 'inner' };
`;

describe('the processes of a function', () => {
  let folder: string;
  let program: string;
  let code: { folder: string; remove(): Promise<void> };
  let pools: FunctionPool[];
  let printed: PrintedLine[];
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'dev-')));
    program = await functionProgram(() => esbuild, folder);
    code = await sources({
      'orders.mjs': HANDLERS,
      'broken.mjs': 'export const handler = (;',
      'missing.mjs': "import 'no-such-package';",
    });
    pools = [];
    printed = [];
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
    printed.length = 0;
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await code.remove();
  });

  function poolOf(
    exportName: string,
    given: Partial<DevFunction> = {},
    graceMs?: number,
    inspectPort?: number,
  ): FunctionPool {
    const fn = devFunction({ folder: code.folder, exportName, ...given });
    const pool = createFunctionPool(codeOf(fn), {
      program,
      name: fn.id,
      environment: functionEnvironment(fn, { region: 'eu-west-1', taskRoot: code.folder }),
      memoryMb: fn.memoryMb,
      timeoutMs: fn.timeoutMs,
      graceMs,
      inspectPort,
      functionArn: functionArn(fn, 'eu-west-1'),
      reservedConcurrency: fn.reservedConcurrency,
      onLine: (line) => printed.push(line),
    });
    pools.push(pool);
    return pool;
  }

  function codeOf(fn: DevFunction) {
    const module = path.join(code.folder, `${fn.entry}.mjs`);
    return { module, exportName: fn.exportName, handler: `orders.${fn.exportName}`, taskRoot: code.folder };
  }

  const call = async (pool: FunctionPool, event: unknown = {}) =>
    (await pool.invoke(JSON.stringify(event))).end;
  const answerOf = async (pool: FunctionPool, event: unknown = {}): Promise<unknown> => {
    const end = await call(pool, event);
    return end.type === 'returned' ? JSON.parse(end.payload) : end;
  };

  it('keep the process of an answer that arrived in time and was read late, as on a busy machine', async () => {
    const pool = poolOf('waits', { timeoutMs: 600 });
    const first = await pool.invoke('1');
    const second = pool.invoke('100');
    await new Promise((resolve) => setTimeout(resolve, 20)); // it has been sent
    await new Promise((resolve) => setImmediate(resolve)); // timers are the next that runs
    for (const end = performance.now() + 1_000; performance.now() < end;);
    expect((await second).end).toEqual(first.end);
    expect((await pool.invoke('1')).end).toEqual(first.end); // which did not end, or in another process
  });

  it('hears nothing that the function says as if it had a parent of its own', async () => {
    expect(await answerOf(poolOf('speaks'))).toBe('spoken');
  });

  it.each([
    ['throwsObject', 'Error', '[object Object]'],
    ['throwsNothing', 'object', 'object'],
  ])('tells of what was thrown in texts, whatever it was (%s)', async (name, errorType, errorMessage) => {
    expect(await call(poolOf(name))).toEqual({
      type: 'failed',
      by: 'handler',
      error: { errorType, errorMessage, trace: [] },
    });
  });

  it('gives the handler the event and a context as in Lambda, and keeps the process for the next', async () => {
    const pool = poolOf('handler');
    const first = await pool.invoke('{"orderId":"a"}', 'request-1');
    expect(first).toMatchObject({ requestId: 'request-1', initMs: expect.any(Number) });
    expect(first.end).toMatchObject({ type: 'returned' });
    expect(JSON.parse((first.end as { payload: string }).payload)).toEqual({
      event: { orderId: 'a' },
      calls: 1,
      context: {
        callbackWaitsForEmptyEventLoop: true,
        functionName: 'orders-function',
        functionVersion: '$LATEST',
        invokedFunctionArn: 'arn:aws:lambda:eu-west-1:000000000000:function:orders-function',
        memoryLimitInMB: '128',
        awsRequestId: 'request-1',
        logGroupName: '/aws/lambda/orders-function',
        logStreamName: expect.stringContaining('[$LATEST]'),
        remaining: expect.any(Number),
      },
    });
    const second = await pool.invoke('{}');
    expect(second.initMs).toBeUndefined();
    expect(JSON.parse((second.end as { payload: string }).payload)).toMatchObject({ calls: 2 });
    expect(printed).toEqual([
      { stream: 'stdout', text: 'call 1' },
      { stream: 'stdout', text: 'call 2' },
    ]);
  });

  it("has Lambda's environment and the template's variables, and nothing of this process's secrets", async () => {
    process.env['MY_TOKEN'] = 'secret';
    const environment = await answerOf(
      poolOf('environment', { environment: { CLAIMS_TABLE_NAME: 'claims' } }),
    );
    delete process.env['MY_TOKEN'];
    expect(environment).toMatchObject({
      AWS_LAMBDA_FUNCTION_NAME: 'orders-function',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SESSION_TOKEN: 'local',
      LAMBDA_TASK_ROOT: code.folder,
      TZ: ':UTC',
      _HANDLER: 'orders.environment',
      CLAIMS_TABLE_NAME: 'claims',
      PATH: process.env['PATH'],
    });
    expect(environment).not.toHaveProperty('MY_TOKEN');
    expect(environment).not.toHaveProperty('NODE_OPTIONS');
  });

  it('has another trace id in each invocation', async () => {
    const pool = poolOf('environment');
    const ids: unknown[] = [];
    for (let count = 0; count < 2; count += 1) {
      ids.push(((await answerOf(pool)) as NodeJS.ProcessEnv)['_X_AMZN_TRACE_ID']);
    }
    const form = expect.stringMatching(/^Root=1-[\da-f]{8}-[\da-f]{24};Parent=[\da-f]{16};Sampled=0$/);
    expect(ids).toEqual([form, form]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('has no session token beside credentials of its own', async () => {
    const environment = { AWS_ACCESS_KEY_ID: 'mine', AWS_SECRET_ACCESS_KEY: 'secret' };
    expect(await answerOf(poolOf('environment', { environment }))).not.toHaveProperty('AWS_SESSION_TOKEN');
  });

  it('lets a debugger attach before the first invocation, and takes all the time that it needs', async () => {
    const inspectPort = await freePort();
    const pool = poolOf('waits', { timeoutMs: 200 }, 0, inspectPort);
    const targets = async (): Promise<readonly { readonly webSocketDebuggerUrl?: string }[]> =>
      (await fetch(`http://127.0.0.1:${inspectPort}/json/list`)).json() as Promise<readonly object[]>;
    await until('the debugger listens', async () => {
      return (await targets().catch(() => [])).length === 1;
    });
    expect((await targets())[0]?.webSocketDebuggerUrl).toContain(`ws://127.0.0.1:${inspectPort}/`);
    const [pid] = pool.pids;
    expect(await Promise.all([answerOf(pool, 600), answerOf(pool, 0)])).toEqual([pid, pid]);
    pool.replace(codeOf(devFunction({ folder: code.folder, exportName: 'waits' })));
    await until('the new code can be debugged', async () => {
      return pool.pids[0] !== pid && (await targets().catch(() => [])).length === 1;
    });
  });

  it('gives errors in the shape of Lambda', async () => {
    expect(await call(poolOf('fails'))).toMatchObject({
      type: 'failed',
      by: 'handler',
      error: {
        errorType: 'TypeError',
        errorMessage: 'no such order',
        trace: expect.arrayContaining(['TypeError: no such order']),
      },
    });
    expect(await call(poolOf('throwsText'))).toMatchObject({
      error: { errorType: 'string', errorMessage: 'text', trace: [] },
    });
    expect(await call(poolOf('circular'))).toMatchObject({
      error: { errorType: 'Runtime.JSONStringifyError' },
    });
    expect(await call(poolOf('nested.inner'))).toEqual({ type: 'returned', payload: '"inner"' });
  });

  it('says why a module does not load', async () => {
    expect(await call(poolOf('nothing'))).toMatchObject({
      by: 'load',
      error: {
        errorType: 'Runtime.HandlerNotFound',
        errorMessage: 'orders.nothing is undefined or not exported',
      },
    });
    expect(await call(poolOf('handler', { entry: 'broken' }))).toMatchObject({
      error: { errorType: 'Runtime.UserCodeSyntaxError' },
    });
    expect(await call(poolOf('handler', { entry: 'missing' }))).toMatchObject({
      error: { errorType: 'Runtime.ImportModuleError' },
    });
  });

  it('kills the process when time is up, and starts another for the next invocation', async () => {
    const pool = poolOf('hangs', { timeoutMs: 300 });
    expect(await pool.invoke('{}', 'request-1')).toMatchObject({
      end: {
        by: 'timeout',
        error: {
          errorType: 'Sandbox.Timedout',
          errorMessage: 'RequestId: request-1 Error: Task timed out after 0.30 seconds',
        },
      },
    });
    expect(pool.pids).toEqual([]);
    expect(await call(pool)).toMatchObject({ by: 'timeout' });
  });

  it.each([
    ['exits', 0, 'Runtime.ExitError', /^RequestId: \S+ Error: Runtime exited without providing a reason$/],
    ['exits', 3, 'Runtime.ExitError', /^RequestId: \S+ Error: Runtime exited with error: exit status 3$/],
    ['rejectsLater', {}, 'Runtime.UnhandledPromiseRejection', /nobody waits/],
    ['throwsLater', {}, 'RangeError', /later/],
  ])('ends an invocation of %s(%j) with %s', async (exportName, event, errorType, errorMessage) => {
    const pool = poolOf(exportName);
    expect(await call(pool, event)).toMatchObject({
      error: { errorType, errorMessage: expect.stringMatching(errorMessage) },
    });
    expect(pool.pids).toEqual([]);
    if (exportName === 'exits') expect(printed).toEqual([{ stream: 'stdout', text: 'last words' }]);
  });

  it('takes a late answer within the grace that it is given', async () => {
    const pool = poolOf('waits', { timeoutMs: 200 }, 10_000);
    expect(await call(pool, 400)).toMatchObject({ type: 'returned' });
  });

  it('ends a process that takes more memory than the function has', async () => {
    expect(await call(poolOf('eats', { timeoutMs: 20_000 }))).toMatchObject({
      by: 'exit',
      error: { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('signal: aborted') },
    });
  });

  it('answers a callback when nothing is left to do, or at once where the function says so', async () => {
    expect(await answerOf(poolOf('callsBack'))).toBe('first');
    expect(await answerOf(poolOf('callsBackAtOnce'))).toBe('at once');
    expect(await answerOf(poolOf('neverSettles'))).toBeNull();
  });

  it('tells what was printed before it gives the answer, without a line feed too', async () => {
    await answerOf(poolOf('prints'));
    expect(printed.toSorted((a, b) => a.text.localeCompare(b.text))).toEqual([
      { stream: 'stderr', text: 'an error' },
      { stream: 'stdout', text: 'no line feed' },
    ]);
  });

  it('ends the process of one invocation, and of no other', async () => {
    const pool = poolOf('waits', { timeoutMs: 60_000 });
    const doomed = pool.invoke('60000', 'doomed');
    const other = pool.invoke('1000', 'other');
    await until('it runs', () => pool.kill('doomed'));
    expect((await doomed).end).toMatchObject({ type: 'failed', by: 'exit' });
    expect((await other).end).toMatchObject({ type: 'returned' });
    expect([pool.kill('doomed'), pool.kill('other')]).toEqual([false, false]);
  });

  it('runs invocations side by side in processes of their own, and throttles past the reserved concurrency', async () => {
    const pool = poolOf('waits', { reservedConcurrency: 2 });
    const ends = await Promise.all([call(pool, 300), call(pool, 300), call(pool, 300)]);
    const pids = ends.flatMap((end) => (end.type === 'returned' ? [end.payload] : []));
    expect(new Set(pids).size).toBe(2);
    expect(ends[2]).toEqual({ type: 'throttled' });
    expect(await call(pool, 0)).toMatchObject({ type: 'returned' });
  });

  it('lets an invocation end with the code it started with, and runs the next with the new', async () => {
    const pool = poolOf('waits');
    const before = call(pool, 300);
    await until('the process runs', () => pool.pids.length === 1);
    pool.replace(codeOf(devFunction({ folder: code.folder, exportName: 'nested.inner' })));
    expect(await call(pool)).toEqual({ type: 'returned', payload: '"inner"' });
    expect(await before).toMatchObject({ type: 'returned', payload: expect.stringMatching(/^\d+$/) });
    await until('the old process is gone', () => pool.pids.length === 1);
  });

  it('waits for no daemon that functions have started, and lets go of its output', async () => {
    const openPipes = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'PipeWrap').length;
    const before = openPipes();
    const pool = poolOf('leavesDaemon');
    const pid = (await answerOf(pool)) as number;
    try {
      await pool.close();
      await until('its pipes are closed', () => openPipes() <= before);
    } finally {
      process.kill(pid);
    }
  });

  it('ends what functions have started when it is closed', async () => {
    const pool = poolOf('leavesChild');
    const pid = (await answerOf(pool)) as number;
    const [own = 0] = pool.pids;
    await pool.close();
    await until('both are gone', () => !isThere(pid) && !isThere(own));
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
