import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { emulatedQueues } from '../../../../test/support/emulated-queues.ts';
import { until } from '../../../../test/support/until.ts';
import { runCommand } from './run-command.ts';

const queues = emulatedQueues();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-work-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function moduleOf(name: string, source: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, source);
  return file;
}

/** Runs until so many messages of the queue are handled, then is told to stop. */
async function workUntil(calls: number, args: readonly string[]) {
  const stopping = new AbortController();
  const running = runCommand(['work', ...args, '--wait-time-seconds', '1'], { signal: stopping.signal });
  await until('the messages are handled', () => callsOf().length === calls);
  stopping.abort();
  return running;
}

/** What the handlers below have seen. */
function callsOf(): string[] {
  return ((globalThis as { workCalls?: string[] }).workCalls ??= []);
}
const SEEN = 'async (event) => { globalThis.workCalls.push(...event.Records.map(({ body }) => body)); }';

describe('batchlatch work', () => {
  it.each([
    ['an ES module', 'orders.mjs', `export const handler = ${SEEN};`, []],
    ['CommonJS', 'orders.cjs', `module.exports = { handler: ${SEEN} };`, []],
    ['a default export', 'default.mjs', `export default ${SEEN};`, ['--handler-export', 'default']],
    [
      'a default export compiled to CommonJS',
      'default.cjs',
      `exports.__esModule = true;\nexports.default = ${SEEN};`,
      ['--handler-export', 'default'],
    ],
  ])('works a queue until it is stopped, with %s', async (_what, name, source, more) => {
    callsOf().length = 0;
    const { queueUrl, send } = await queues.create();
    for (const body of ['a', 'b']) await send(body);
    const file = await moduleOf(name, source);
    const { status, out, err } = await workUntil(2, [file, '--queue-url', queueUrl, ...more]);
    expect(callsOf().toSorted()).toEqual(['a', 'b']);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out.replaceAll(/^\S+Z /gm, '').split('\n')).toEqual([
      `Working ${queueUrl}, up to 100 messages at once`,
      'Stopping: waiting for running handlers and open receives',
      'Stopped',
      '2 received, 2 done, 0 failed',
      '',
    ]);
  });

  it('tells the same as JSON lines, and that the handler failed once for many messages', async () => {
    callsOf().length = 0;
    const { queueUrl, send } = await queues.create();
    for (const body of ['a', 'b', 'c']) await send(body);
    const source = `export const handler = async () => { globalThis.workCalls.push(''); throw new Error('no\\u001b[2J'); };`;
    const file = await moduleOf('failing.mjs', source);
    const options = ['--max-in-flight', '7', '--name', 'orders', '--rate', '50/s', '--health-port', '0'];
    const { status, out } = await workUntil(3, [file, '--queue-url', queueUrl, '--json', ...options]);
    expect(status).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toEqual([
      {
        time: expect.any(String),
        event: 'started',
        queueUrl,
        name: 'orders',
        maxInFlight: 7,
        receivers: 4,
      },
      { time: expect.any(String), event: 'handlerFailed', error: 'Error: no\u001b[2J' },
      { time: expect.any(String), event: 'state', state: 'stopping' },
      { time: expect.any(String), event: 'state', state: 'stopped' },
      expect.objectContaining({ event: 'ended', received: 3, acknowledged: 0, failed: 3, running: 0 }),
    ]);
    expect(out).not.toContain('\u001b');
  });

  it.each([
    ['broken.mjs', "throw new Error('No table');", /broken\.mjs cannot be loaded: No table\n$/],
    [
      'other.mjs',
      'export const run = 1;\nexport const go = 2;',
      /has no export `handler`: .*It has `go`, `run`\.\n$/,
    ],
    [
      'made.cjs',
      'exports.__esModule = true;\nmodule.exports = Object.assign({}, { run: () => 1 });',
      /has no export `handler`: .*It has `run`\.\n$/,
    ],
    [
      'compiled.cjs',
      "Object.defineProperty(exports, '__esModule', { value: true });\nexports.run = exports.default = () => 1;",
      /has no export `handler`: .*It has `run`, `default`\.\n$/,
    ],
    ['callable.cjs', 'module.exports = () => 1;', /has no export `handler`: .*It has `default`\.\n$/],
    [
      'value.mjs',
      'export const handler = {};',
      /`handler` of .*value\.mjs is not a function \(object\): name another with --handler-export\.\n$/,
    ],
  ])('says what is in the way of the handler: %s', async (name, source, message) => {
    const file = await moduleOf(name, source);
    const { status, out, err } = await runCommand(['work', file, '--queue-url', 'http://127.0.0.1:9/q']);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(message);
  });

  it('says that the queue does not exist', async () => {
    const { queueUrl } = await queues.create();
    const file = await moduleOf('idle.mjs', `export const handler = ${SEEN};`);
    const { status, out, err } = await runCommand(['work', file], { env: { QUEUE_URL: `${queueUrl}-not` } });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(`Error: There is no queue ${queueUrl}-not: check --queue-url`);
  });

  it('ends where the handler cannot work as it is configured: every message would fail', async () => {
    const { queueUrl, send } = await queues.create();
    for (const body of ['a', 'b']) await send(body);
    const file = await moduleOf(
      'unset.mjs',
      `export const handler = async () => {
        throw Object.assign(new Error('No claim store is configured'), { code: 'BATCHLATCH_CONFIGURATION' });
      };`,
    );
    const { status, out, err } = await runCommand(['work', file, '--queue-url', queueUrl]);
    expect({ status, err }).toEqual({ status: 2, err: 'Error: No claim store is configured\n' });
    expect(out).toMatch(/ 0 done, [12] failed/);
  });

  it('says that nothing answers there', async () => {
    const file = await moduleOf('idle.mjs', `export const handler = ${SEEN};`);
    const { status, err } = await runCommand(['work', file, '--queue-url', 'http://127.0.0.1:9/q']);
    expect(status).toBe(1);
    expect(err).toMatch(/^Error: http:\/\/127\.0\.0\.1:9 does not answer: .*ECONNREFUSED/);
  });

  it('ends with 1 where a handler has not ended in the time of a stop', async () => {
    callsOf().length = 0;
    const { queueUrl, send } = await queues.create();
    await send({});
    const handler = createBatchProcessor(
      () => {
        callsOf().push('');
        return new Promise(() => undefined);
      },
      { store: memoryStore(), observer: { onEvent: () => undefined } },
    );
    Object.assign(globalThis, { hangingHandler: handler });
    const file = await moduleOf('hanging-record.mjs', 'export const handler = globalThis.hangingHandler;');
    const { status, out } = await workUntil(1, [
      file,
      '--queue-url',
      queueUrl,
      '--shutdown-timeout',
      '500ms',
    ]);
    expect(status).toBe(1);
    expect(out).toContain('1 still running: they come again');
  });

  it.each([
    [['h.mjs'], 'Name the queue: --queue-url URL, or set QUEUE_URL.'],
    [[], "missing required argument 'module'"],
    [['h.mjs', '--queue-url', 'orders'], 'Give a URL'],
    [['h.mjs', '--rate', '100'], 'Give a number and a time, such as 100/1s'],
    [['h.mjs', '--rate', '0/1s'], 'Give a number and a time'],
    [['h.mjs', '--shutdown-timeout', '25'], 'Give a time with its unit'],
    [['h.mjs', '--max-in-flight', '0'], 'Give a whole number'],
    [['h.mjs', '--queue-url', 'http://127.0.0.1:9/q', '--health-host', '::'], '--health-host needs'],
  ])('%j is wrong usage: %s', async (args, message) => {
    const { status, out, err } = await runCommand(['work', ...args]);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(message);
  });
});

describe('The process of batchlatch work', () => {
  const running: ChildProcess[] = [];
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL');
  });

  async function started(args: readonly string[]) {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', 'packages/cli/src/cli/batchlatch.ts', 'work', '--wait-time-seconds', '1', ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, QUEUE_URL: '' },
      },
    );
    running.push(child);
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
    const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
    return { child, exit, out: () => out };
  }

  it('ends after a signal with 0, whatever the module keeps open; a second signal ends it at once', async () => {
    const { queueUrl, send } = await queues.create();
    const { queueUrl: idleUrl } = await queues.create();
    await send('x');
    const open = 'setInterval(() => undefined, 1_000);';
    const idle = await moduleOf('open.mjs', `${open} export const handler = async () => undefined;`);
    const hanging = await moduleOf(
      'hanging.mjs',
      `${open} export const handler = () => { console.log('called'); return new Promise(() => undefined); };`,
    );
    const [first, second] = await Promise.all([
      started([idle, '--queue-url', idleUrl]),
      started([hanging, '--queue-url', queueUrl]),
    ]);
    await until('both work', () => first.out().includes('Working') && second.out().includes('called'));
    first.child.kill('SIGTERM');
    second.child.kill('SIGTERM');
    await until('it stops', () => second.out().includes('Stopping'));
    second.child.kill('SIGINT');
    expect(await second.exit).toEqual([130, null]);
    expect(await first.exit).toEqual([0, null]);
    expect(first.out()).toContain('0 received, 0 done, 0 failed');
  });

  it('lets running handlers end when the reader of its output has gone', async () => {
    const { queueUrl, send } = await queues.create();
    await send('x');
    const trace = path.join(folder, 'trace');
    const file = await moduleOf(
      'logging.mjs',
      `import { appendFileSync } from 'node:fs';
      import { setTimeout as delay } from 'node:timers/promises';
      export const handler = async () => {
        console.log('called');
        for (let round = 0; round < 20; round += 1) { await delay(50); console.log('working'); }
        appendFileSync(${JSON.stringify(trace)}, 'ended');
      };`,
    );
    const { child, exit, out } = await started([file, '--queue-url', queueUrl]);
    await until('it works', () => out().includes('called'));
    child.stdout?.destroy();
    expect(await exit).toEqual([0, null]);
    expect(await readFile(trace, 'utf8')).toBe('ended');
  });
});
