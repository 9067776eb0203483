import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/**
 * Looks again and again until `look` gives something, and resolves to that. Rejects when it has given nothing
 * for so long, and says what was waited for.
 */
export async function until<Found>(
  what: string,
  look: () => Found | Promise<Found>,
  withinMs = 120_000,
): Promise<Exclude<Found, false | undefined>> {
  const deadline = performance.now() + withinMs;
  while (true) {
    const found = await look();
    if (found !== false && found !== undefined) return found as Exclude<Found, false | undefined>;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1_000} s in vain until ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
