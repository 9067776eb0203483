import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import { type EmulatedQueue, emulatedQueues } from '../../test/support/emulated-queues.ts';
import { until } from '../../test/support/until.ts';

interface Told {
  readonly state: string;
  readonly acknowledged: number;
  readonly restarts: number;
  readonly processes: readonly {
    readonly number: number;
    readonly pid: number;
    readonly state: string;
  }[];
}

/** As it is built: three processes of it start with each test. */
const CLI = 'packages/cli/dist/cli/batchlatch.js';
const queues = emulatedQueues();
const running: ChildProcess[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-processes-'));
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts `batchlatch work` on the module, as a person would. */
async function start(source: string, args: readonly string[] = ['--processes', '2']) {
  const queue = await queues.create();
  const file = path.join(folder, `${running.length}-${Date.now()}.mjs`);
  await writeFile(file, source);
  const port = await freePort();
  const all = [
    'work',
    file,
    '--queue-url',
    queue.queueUrl,
    '--health-port',
    String(port),
    '--wait-time-seconds',
    '1',
    ...args,
  ];
  const child = spawn(process.execPath, [CLI, ...all], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, QUEUE_URL: '' },
  });
  running.push(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  }
  const get = (to: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${to}`);
  const status = async (to: string): Promise<number> => (await get(to).catch(() => ({ status: 0 }))).status;
  const told = async (): Promise<Told> => (await (await get('/')).json()) as Told;
  return {
    child,
    file,
    queue,
    status,
    told,
    out: () => out,
    exit: once(child, 'exit') as Promise<[number | null, string | null]>,
    metrics: async () => (await get('/metrics')).text(),
    isReady: () => until('it is ready', async () => (await status('/ready')) === 200),
    pids: async () => (await told()).processes.map(({ pid }) => pid),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const send = (queue: EmulatedQueue, count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => queue.send(`m${index}`)));

const IDLE = 'export const handler = async () => undefined;';
const SLOW = `import { setTimeout } from 'node:timers/promises';
export const handler = async ({ Records }) => {
  console.log('begun by ' + process.pid);
  await setTimeout(1_500);
  console.log('done by ' + process.pid);
};`;

describe('batchlatch work with several processes', () => {
  it('works in each of them, and tells the sums on one endpoint', async () => {
    const source = 'export const handler = async () => console.log(`by ${process.pid}`);';
    const { queue, isReady, told, metrics, pids, out, child, exit } = await start(source);
    await isReady();
    const [first, second] = await pids();
    expect(new Set([first, second, child.pid]).size).toBe(3);
    for (let sent = 0; !(out().includes(`by ${first}`) && out().includes(`by ${second}`)); sent += 20) {
      await send(queue, 20);
      await until('they are done', async () => (await told()).acknowledged === sent + 20);
    }
    const { acknowledged } = await told();
    expect(await metrics()).toContain(`batchlatch_worker_acknowledged_total ${acknowledged}\n`);
    expect(await metrics()).toContain('batchlatch_worker_processes 2\n');
    expect(await metrics()).toContain('batchlatch_worker_concurrency_limit 200\n');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(out()).toContain(`${acknowledged} received, ${acknowledged} done, 0 failed\n`);
    expect(out()).toMatch(/Z \[2\] Working /);
  });

  it('finishes what runs after a signal, and ends with 0', async () => {
    const { queue, isReady, out, child, exit, pids } = await start(SLOW);
    await isReady();
    const all = await pids();
    await send(queue, 4);
    await until('all run', () => out().split('begun').length === 5);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(out().split('done by').length).toBe(5);
    expect(all.filter(isAlive)).toEqual([]);
  });

  it('kills all processes at a second signal', async () => {
    const source =
      "export const handler = () => { console.log('called'); return new Promise(() => undefined); };";
    const { queue, isReady, out, child, exit, pids } = await start(source);
    await isReady();
    const all = await pids();
    await send(queue, 2);
    await until('both run', () => out().split('called').length === 3);
    child.kill('SIGINT');
    await until('it stops', () => out().includes('Stopping'));
    child.kill('SIGINT');
    expect(await exit).toEqual([130, null]);
    await until('none is left', () => !all.some(isAlive), 10_000); // the time of a stop is longer
  });

  it('kills a process that does not end in the time of a stop, and ends with 1', async () => {
    const source = "export const handler = async () => { console.log('called'); for (;;); };";
    const { queue, isReady, out, child, exit } = await start(source, [
      '--processes',
      '2',
      '--shutdown-timeout',
      '100ms',
    ]);
    await isReady();
    await send(queue, 1);
    await until('it runs', () => out().includes('called'));
    child.kill('SIGTERM');
    expect(await exit).toEqual([1, null]);
  });

  it('replaces one process after another at SIGHUP, with the module as it is now', async () => {
    const { file, queue, isReady, status, told, out, child, exit, pids } = await start(IDLE);
    await isReady();
    const before = await pids();
    await writeFile(file, "export const handler = async () => console.log('the new one');");
    let wasNotReady = 0;
    const looking = setInterval(() => {
      void status('/ready').then((answer) => (wasNotReady += Number(answer !== 200)));
    }, 20);
    child.kill('SIGHUP');
    await until('both are new', async () => {
      const now = await pids();
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
    clearInterval(looking);
    expect(wasNotReady).toBe(0);
    expect((await told()).restarts).toBe(2);
    await until('the new module runs', async () => {
      await send(queue, 1); // the emulator gives the first ones to long polls of processes that have ended
      return out().includes('the new one');
    });
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('goes on with the old processes if the new module does not start', async () => {
    const { file, isReady, status, out, child, exit, pids } = await start(IDLE);
    await isReady();
    const before = await pids();
    await writeFile(file, "throw new Error('Half deployed');");
    child.kill('SIGHUP');
    await until('it is told', () => out().includes('Process 1 is not replaced'));
    expect(out()).toContain('Half deployed');
    expect([await pids(), await status('/ready')]).toEqual([before, 200]);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('starts a process again that has died, and is not ready meanwhile', async () => {
    const { isReady, status, told, out, child, exit, pids } = await start(IDLE);
    await isReady();
    const [victim = 0] = await pids();
    process.kill(victim, 'SIGKILL');
    await until('it is not ready', async () => (await status('/ready')) === 503);
    expect(await status('/live')).toBe(200);
    await isReady();
    expect(await pids()).not.toContain(victim);
    expect((await told()).restarts).toBe(1);
    expect(out()).toMatch(/Process \d was ended by SIGKILL, and is started again/);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('ends with the error of a module that cannot be loaded', async () => {
    const { out, exit } = await start("throw new Error('No table');");
    expect(await exit).toEqual([1, null]);
    expect(out()).toMatch(/\nError: .* cannot be loaded: No table\n$/);
  });

  it('ends with an error if a process ends again and again before it receives', async () => {
    const { out, exit } = await start('process.exit(7);');
    expect(await exit).toEqual([1, null]);
    expect(out().split('ended with status 7, and is started again').length).toBe(5);
    expect(out()).toMatch(/Error: Process 1 does not start: it ended with status 7, 5 times in a row\.\n$/);
  });

  it('ends with 2 where the handler cannot work as it is configured', async () => {
    const source = `export const handler = async () => {
      throw Object.assign(new Error('No claim store is configured'), { code: 'BATCHLATCH_CONFIGURATION' });
    };`;
    const { queue, isReady, out, exit } = await start(source);
    await isReady();
    await send(queue, 1);
    expect(await exit).toEqual([2, null]);
    expect(out()).toMatch(/Error: No claim store is configured\n$/);
  });

  it('replaces a process that has more memory than the limit, and starts its successor first', async () => {
    const source = `const kept = [];
      export const handler = async () => void kept.push(Buffer.alloc(400 * 1024 ** 2, 1));`;
    const { queue, isReady, status, told, out, child, exit, pids } = await start(source, [
      '--processes',
      '1',
      '--memory-limit',
      '400mb',
    ]);
    await isReady();
    const [before] = await pids();
    let wasNotReady = 0;
    const looking = setInterval(() => {
      void status('/ready').then((answer) => (wasNotReady += Number(answer !== 200)));
    }, 20);
    await send(queue, 1);
    await until('it is replaced', async () => {
      const now = await pids();
      return now.length === 1 && now[0] !== before;
    });
    clearInterval(looking);
    expect(wasNotReady).toBe(0);
    expect(out()).toMatch(/Process 1 has \d+ MB, and is replaced/);
    expect(await told()).toMatchObject({ acknowledged: 1, restarts: 1 });
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('refuses a memory limit that a process exceeds when it starts', async () => {
    const { out, exit } = await start(IDLE, ['--processes', '2', '--memory-limit', '10mb']);
    expect(await exit).toEqual([2, null]);
    expect(out()).toMatch(/Error: --memory-limit is too low: a process has \d+ MB when it starts\.\n$/);
  });

  it('leaves processes that finish what runs, and end, if the supervisor is killed', async () => {
    const { queue, isReady, out, child, exit, pids } = await start(SLOW);
    await isReady();
    const all = await pids();
    await send(queue, 2);
    await until('both run', () => out().split('begun').length === 3);
    child.kill('SIGKILL');
    await exit;
    await until('they have ended', () => !all.some(isAlive));
    expect(out().split('done by').length).toBe(3);
    expect(await queue.receive()).toEqual({ Records: [] });
  });

  it('leaves no process that was still being loaded when the supervisor was killed', async () => {
    const { queueUrl } = await queues.create();
    const file = path.join(folder, 'orphan.mjs');
    await writeFile(file, IDLE);
    const child = fork(CLI, ['work', file, '--queue-url', queueUrl, '--wait-time-seconds', '1'], {
      env: { ...process.env, BATCHLATCH_WORK_PROCESS: '1/2' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    running.push(child);
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('has no further process with --processes 1', async () => {
    const { isReady, told, out, child, exit } = await start(IDLE, ['--processes', '1']);
    await isReady();
    expect(await told()).not.toHaveProperty('processes');
    expect(out()).toMatch(/^\S+Z Working \S+, up to 100 messages at once\n$/);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });
});
