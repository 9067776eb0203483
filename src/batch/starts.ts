import type { SettleOutcome } from '../claims/claim-store.ts';
import type { Attempt } from './attempt.ts';
import type { Settings } from './options.ts';
import type { ProcessorPorts } from './ports.ts';

/**
 * Whether rows have to tell an attempt that died in its handler from one that never started: where a death may park,
 * or counts towards what may.
 */
export function countsDeaths({ onLapsedLease, maxCrashes, maxAttempts }: Settings): boolean {
  return onLapsedLease === 'park' || maxCrashes !== undefined || maxAttempts !== undefined;
}

interface Waiting {
  readonly attempt: Attempt;
  readonly resolve: (mayStart: boolean) => void;
}

/**
 * Writes that handlers start, before they do, one write for each: what comes while a request is on its way goes
 * together in the next.
 */
export class Starts {
  readonly #ports: ProcessorPorts;
  readonly #stop: AbortSignal;
  readonly #isRecording: boolean;
  #waiting: Waiting[] = [];
  #isWriting = false;

  /** `stop` is aborted when nothing may start any more. */
  constructor(settings: Settings, ports: ProcessorPorts, stop: AbortSignal) {
    this.#ports = ports;
    this.#stop = stop;
    this.#isRecording = countsDeaths(settings) && ports.store.start !== undefined;
  }

  /** Whether claims are to be made with `recordsStart`. */
  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** Whether the attempt may start: its claim is still its own, and the row says that it does. Never rejects. */
  async record(attempt: Attempt): Promise<boolean> {
    if (!this.#isRecording || !attempt.isClaimed) return true;
    return new Promise((resolve) => {
      this.#waiting.push({ attempt, resolve });
      if (this.#isWriting) return;
      this.#isWriting = true;
      queueMicrotask(() => void this.#write()); // so that those which start at the same moment go with it
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const outcomes = await this.#outcomesOf(group);
      group.forEach(({ resolve }, index) => resolve(outcomes[index] === 'stored'));
    }
    this.#isWriting = false;
  }

  async #outcomesOf(group: readonly Waiting[]): Promise<SettleOutcome[]> {
    // Not waited for, and not written, for what may not start: its claim has to be given back before the answer leaves.
    if (this.#stop.aborted) return [];
    const claims = group.map(({ attempt }) => ({ key: attempt.entry.key, owner: attempt.claim.owner }));
    try {
      return (await this.#ports.store.start?.(claims, { signal: this.#stop })) ?? [];
    } catch {
      return []; // what is not known to be written must not start
    }
  }
}
