import { setTimeout as delay } from 'node:timers/promises';

const ASK_EVERY_MS = 20;

/** Asks again and again until it is so; fails, naming what was waited for, when it takes too long. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain until ${what}`);
    await delay(ASK_EVERY_MS);
  }
}
