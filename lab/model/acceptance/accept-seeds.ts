import { runSeed } from '../../simulation/run-seed.ts';
import { drawScenario } from '../../simulation/draw-scenario.ts';
import { Acceptor, type Refusal } from './acceptor.ts';

export interface Acceptance {
  readonly histories: number;
  readonly events: number;
  readonly refusals: readonly (Refusal & { readonly seed: number })[];
}

const MOST_REFUSALS = 10;

/** Runs simulations on the memory store, whose requests are done one at a time, and has their histories accepted by the model. */
export async function acceptSeeds(
  seeds: number,
  from: number = 1,
  onProgress: () => void = () => undefined,
): Promise<Acceptance> {
  const refusals: (Refusal & { seed: number })[] = [];
  let events = 0;
  let histories = 0;
  for (let seed = from; seed < from + seeds && refusals.length < MOST_REFUSALS; seed += 1) {
    const acceptor = new Acceptor(drawScenario(seed, 'memory').skewMs);
    await runSeed(seed, 'memory', undefined, (event) => acceptor.take(event));
    events += acceptor.events;
    histories += 1;
    if (acceptor.refusal !== undefined) refusals.push({ ...acceptor.refusal, seed });
    onProgress();
  }
  return { histories, events, refusals };
}
