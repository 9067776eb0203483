import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What a run of the demo left behind. */
export interface DemoRun {
  readonly status: number;
  readonly summary: Readonly<Record<string, number>>;
  readonly stderr: string;
}

/** Other tests run beside it. With the times of a machine of its own, an order's process may take all of its receives to start. */
const SLOWNESS = '4';

/** Runs the demo as the README says, with `--json`, on 60 messages. */
export async function runDemo(...args: readonly string[]): Promise<DemoRun> {
  const all = ['start', '--silent', '--', '--json', '--messages', '60', '--slowness', SLOWNESS, ...args];
  const child = spawn('npm', all, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (stdout === '') throw new Error(stderr);
  return { status: status as number, summary: JSON.parse(stdout) as DemoRun['summary'], stderr };
}

/** The same for every store. */
export const ALL_WELL = {
  sent: 60,
  distinct: 57,
  chargedOnce: 53,
  chargedTwice: 0,
  duplicatesDropped: 3,
  parked: 1,
  deadLettered: 4,
  leftOver: 0,
  lost: 0,
} as const;
