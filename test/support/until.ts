import { setTimeout as delay } from 'node:timers/promises';

const ASK_EVERY_MS = 20;

/** Asks again and again until it is so; fails, naming what was waited for, when it takes too long. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain until ${what}`);
    await delay(ASK_EVERY_MS);
  }
}

/** As `until`, but fails only if `progress` has stayed what it was for this long: on a busy machine everything takes longer. */
export async function untilAtLast(
  what: string,
  isSo: () => boolean,
  progress: () => number,
  withoutProgressMs = 60_000,
): Promise<void> {
  let before = progress();
  while (!isSo()) {
    const reached = (): boolean => isSo() || progress() !== before;
    await until(`${what}, or something happens`, reached, withoutProgressMs);
    before = progress();
  }
}
