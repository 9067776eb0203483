import { inspect } from 'node:util';
import { expect } from '@jest/globals';
import type { Clock } from 'batchlatch';
import type { DirectSetup, Limits } from '../../src/aws/direct-sender.ts';
import { directTransport, LIMITS } from '../../src/stores/dynamodb/direct-transport.ts';
import type { Transport } from '../../src/stores/dynamodb/transport.ts';

/** As long as AWS's own, and of nobody. */
export const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE234567890',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVzLWVhc3QtMSJHMEUCIQ==',
};

export interface HastyClock extends Clock {
  /** What was waited for, in milliseconds. */
  readonly delays: readonly number[];
  /** How much this clock is ahead of the machine's. */
  aheadMs: number;
}

/** A clock whose timers fire at once. */
export function hastyClock(): HastyClock {
  const delays: number[] = [];
  return {
    delays,
    aheadMs: 0,
    now() {
      return Date.now() + this.aheadMs;
    },
    setTimer(callback, delayMs) {
      delays.push(delayMs);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
}

export function direct(
  endpoint: string,
  setup: Partial<DirectSetup> = {},
  limits: Partial<Limits> = {},
): Transport {
  return directTransport(
    {
      endpoint: { url: new URL(endpoint), region: 'us-east-1' },
      credentials: () => CREDENTIALS,
      maxAttempts: 4,
      userAgent: 'test',
      clock: hastyClock(),
      random: () => 0.5,
      ...setup,
    },
    { ...LIMITS, ...limits },
  );
}

/** A small request. */
export function getItem(transport: Transport, signal?: AbortSignal): Promise<unknown> {
  return transport.send('GetItem', { TableName: 'claims', Key: { id: { S: 'k' } } }, signal);
}

/** What a request was rejected with; it holds nothing of the credentials, wherever one looks. */
export async function errorOf(request: Promise<unknown>): Promise<Error> {
  const outcome = await request.then(
    (output) => new Error(`no error, but ${JSON.stringify(output)}`),
    (error: Error) => error,
  );
  const all = `${inspect(outcome, { depth: 10, showHidden: true })}${outcome.stack}${JSON.stringify(outcome)}`;
  for (const secret of Object.values(CREDENTIALS)) expect(all).not.toContain(secret);
  expect(all).not.toMatch(/Signature=[0-9a-f]/);
  return outcome;
}
