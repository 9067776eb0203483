import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NOTHING_DONE } from '../../src/cli/worker/joined-health.ts';
import { Supervisor } from '../../src/cli/worker/supervisor.ts';

/** A child process that only its test makes speak and end. */
class FakeChild extends EventEmitter {
  readonly pid = 1;
  readonly connected = true;
  readonly sent: unknown[] = [];
  kill = jest.fn(() => this.emit('exit', null, 'SIGKILL'));
  send(message: unknown): void {
    this.sent.push(message);
    this.emit('exit', 0, null);
  }
  tell(memoryBytes = 1): void {
    const health = { state: 'running', counters: NOTHING_DONE, down: [], dependencies: [], isReached: true };
    this.emit('message', { batchlatch: 'health', health, memoryBytes });
  }
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** `failures`: how many starts fail at once. */
function supervised(random = 1, failures = 0) {
  const children: FakeChild[] = [];
  const told: string[] = [];
  const supervisor = new Supervisor({
    count: 1,
    memoryLimit: undefined,
    stopMs: 1_000,
    start: () => {
      failures -= 1;
      if (failures >= 0) throw new Error('spawn ENOMEM');
      const child = new FakeChild();
      children.push(child);
      return child as unknown as ChildProcess;
    },
    random: () => random,
    tell: (event) => void told.push(event),
  });
  const run = supervisor.run();
  const fail = (count: number): void => void (failures = count);
  return { supervisor, children, told, run, fail };
}

const seconds = (count: number): Promise<void> => jest.advanceTimersByTimeAsync(count * 1_000);

describe('The supervisor', () => {
  it('starts a process later when the system had no memory for it, and keeps the others', async () => {
    const { supervisor, children, told, run, fail } = supervised();
    children[0]?.tell();
    fail(2);
    supervisor.replaceAll(); // the first that fails
    await seconds(1);
    expect(told).toEqual(['replacing', 'notReplaced']);
    children[0]?.emit('exit', 1, null);
    await seconds(1);
    expect(children).toHaveLength(1);
    await seconds(2);
    expect(children).toHaveLength(2);
    expect(told.slice(2)).toEqual(['processEnded', 'processEnded']);
    supervisor.stop();
    await run;
  });

  it('ends with the error where the system has no memory for the first process', async () => {
    const { run } = supervised(1, 1);
    const [ended] = await Promise.allSettled([run, seconds(1)]);
    expect(ended).toMatchObject({ status: 'rejected', reason: { message: 'spawn ENOMEM' } });
  });

  it('is not ready when a process has told nothing for 10 seconds, and kills it after 60', async () => {
    const { supervisor, children, run } = supervised();
    children[0]?.tell();
    await seconds(9);
    expect(supervisor.health().isReached).toBe(true);
    await seconds(1);
    expect(supervisor.health().isReached).toBe(false);
    await seconds(49);
    expect(children[0]?.kill).not.toHaveBeenCalled();
    await seconds(1);
    expect(children[0]?.kill).toHaveBeenCalledTimes(1);
    supervisor.stop();
    await run;
  });

  it('kills a successor that does not start in 5 minutes, and then replaces its process again', async () => {
    const { supervisor, children, told, run } = supervised();
    const tellFirst = setInterval(() => children[0]?.tell(), 1_000);
    await seconds(1);
    supervisor.replaceAll();
    await seconds(299);
    expect(children[1]?.kill).not.toHaveBeenCalled();
    await seconds(2);
    expect(children[1]?.kill).toHaveBeenCalledTimes(1);
    expect(told).toEqual(['replacing', 'processHung', 'notReplaced']);
    supervisor.replaceAll();
    await seconds(0);
    expect(children).toHaveLength(3);
    clearInterval(tellFirst);
    supervisor.stop();
    await run;
  });

  it('replaces a process anew that was to be replaced again while its successor did not start', async () => {
    const { supervisor, children, told, run } = supervised();
    children[0]?.tell();
    supervisor.replaceAll();
    await seconds(1);
    supervisor.replaceAll(); // with the module repaired
    children[1]?.emit('exit', 1, null);
    await seconds(1);
    expect(told).toEqual(['replacing', 'replacing', 'notReplaced']);
    expect(children).toHaveLength(3);
    supervisor.stop();
    await run;
  });

  it('waits twice as long after each crash, up to 30 seconds, and anew when one has worked for a minute', async () => {
    const { supervisor, children, run } = supervised();
    for (const pause of [0.5, 1, 2, 4, 8, 16, 30, 30]) {
      children.at(-1)?.tell();
      await seconds(0);
      children.at(-1)?.emit('exit', 1, null);
      const before = children.length;
      await seconds(pause - 0.01);
      expect(children.length).toBe(before);
      await seconds(0.01);
      expect(children.length).toBe(before + 1);
    }
    for (let told = 0; told <= 60; told += 1) {
      children.at(-1)?.tell();
      await seconds(1);
    }
    children.at(-1)?.emit('exit', 1, null);
    const before = children.length;
    await seconds(0.5);
    expect(children.length).toBe(before + 1);
    supervisor.stop();
    await run;
  });

  it('spreads the pauses: of full jitter, the shortest is none', async () => {
    const { supervisor, children, run } = supervised(0);
    children[0]?.tell();
    await seconds(0);
    children[0]?.emit('exit', 1, null);
    await seconds(0.002);
    expect(children.length).toBe(2);
    supervisor.stop();
    await run;
  });
});
