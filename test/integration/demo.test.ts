import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.ts';

describe('the demo', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function start(...args: string[]) {
    const child = spawn(process.execPath, ['--import', 'tsx', 'lab/local/demo/demo.ts', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  }

  async function ended(child: ChildProcessByStdio<null, Readable, Readable>) {
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { status: status as number, stdout, stderr };
  }

  const run = (...args: string[]) => ended(start(...args));

  it('charges every order once, and prints one JSON document and nothing else, as the README and the help say', async () => {
    const pages = ['README.md', 'lab/local/demo/demo.ts'].map((file) => readFileSync(file, 'utf8'));
    const commands = pages.map((page) => /npm start[^\n`']* --json\b/.exec(page)?.[0]);
    expect(new Set(commands).size).toBe(1);
    // Its own way of showing npm's messages is npm test's affair, and not the reader's.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
    const child = spawn(`${commands[0]} --messages 120 --seed 7`, {
      shell: true,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const { status, stdout, stderr } = await ended(child);
    expect(JSON.parse(stdout)).toEqual({
      sent: 120,
      distinct: 114,
      chargedOnce: 110,
      chargedTwice: 0,
      duplicatesDropped: 6,
      retried: 3,
      takenOver: 1,
      parked: 1,
      deadLettered: 4,
      leftOver: 0,
      lost: 0,
      dynamoDbRequestsPerRecord: expect.any(Number),
      seconds: expect.any(Number),
    });
    expect(stderr).toContain('kills its process');
    expect(stderr).not.toMatch(/warning/i);
    expect(status).toBe(0);
  });

  it.each([
    [['--messages', '5'], 'Expected an integer from 20 up'],
    [['--concurrency', 'many'], 'Expected an integer from 1 up'],
    [['--dynamodb-endpoint', 'localhost'], 'such as http://127.0.0.1:8000'],
    [['--postgres-url', 'postgres://h', '--redis-url', 'redis://h'], 'cannot be used with option'],
    [['--mesages', '50'], 'Did you mean --messages?'],
    [['--dynamodb-endpoint', 'http://127.0.0.1:9'], 'Nothing answers at http://127.0.0.1:9'],
    [['--store', 'mysql'], 'Allowed choices are dynamodb, postgres, redis'],
    [['--postgres-url', 'mysql://u:s3cret@h'], 'error: Expected a URL such as postgres://127.0.0.1.\n'],
    [
      ['--store', 'postgres', '--postgres-url', 'postgres://u:s3cret@127.0.0.1:9/d'],
      'Nothing answers at 127.0.0.1:9;',
    ],
    [['--redis-url', 'redis://u:s3cret@127.0.0.1:9'], 'Nothing answers at 127.0.0.1:9;'],
  ])('refuses %j with a clear message', async (args, message) => {
    const { status, stdout, stderr } = await run('--json', ...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('s3cret');
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it('shows how to use it', async () => {
    const { status, stdout } = await run('--help');
    expect(stdout).toContain('npm start --silent -- --json --seed 7');
    expect(status).toBe(0);
  });

  it('stops everything it started when it is interrupted', async () => {
    const child = start('--messages', '60');
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    await until('messages are in flight', () => / [1-9]\d* in flight/.test(output), 60_000);
    const endpoints = output.match(/http:\S+(?=,)/g) ?? [];
    expect(endpoints).toHaveLength(2);

    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(output).toMatch(/Stopped\.\n$/);
    for (const endpoint of endpoints) await expect(fetch(endpoint)).rejects.toThrow('fetch failed');
  });
});
