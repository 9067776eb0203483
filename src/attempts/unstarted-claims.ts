import {
  type ClaimRequest,
  type ClaimStore,
  DEFAULT_REQUEST_SIZE,
  type Settlement,
} from '../claims/claim-store.ts';
import { mayPass } from '../base/errors.ts';

/** A claim that may be held although nothing of it has started: its acquire, or its release, went unanswered. */
type UnstartedClaim = Pick<ClaimRequest, 'key' | 'owner' | 'retentionMs'>;

/**
 * What one process has to give back as soon as its store answers again. Left alone, such a claim would look to the
 * next attempt as if this one had died in its handler. Identified by its owner token: no other owner's row is
 * touched.
 */
export interface UnstartedClaims {
  note(claim: UnstartedClaim): void;
  readonly hasAny: boolean;
  /** Tries once to give back all that is noted; what the store does not answer for stays noted. Never rejects. */
  giveBack(): Promise<void>;
}

/** The leases of what is forgotten lapse. */
const MOST_NOTED = 1_000;

export function unstartedClaims(store: Pick<ClaimStore, 'inspect' | 'settle'>): UnstartedClaims {
  return new NotedClaims(store);
}

class NotedClaims implements UnstartedClaims {
  readonly #store: Pick<ClaimStore, 'inspect' | 'settle'>;
  /** By owner: no two attempts share one. */
  readonly #noted = new Map<string, UnstartedClaim>();
  /** Owners that were not found: an acquire that was given up may be written after the first look. */
  readonly #missed = new Set<string>();
  #givingBack: Promise<void> | undefined;

  constructor(store: Pick<ClaimStore, 'inspect' | 'settle'>) {
    this.#store = store;
  }

  note(claim: UnstartedClaim): void {
    if (this.#noted.size < MOST_NOTED) this.#noted.set(claim.owner, claim);
  }

  get hasAny(): boolean {
    return this.#noted.size > 0;
  }

  giveBack(): Promise<void> {
    if (this.#noted.size === 0) return Promise.resolve();
    this.#givingBack ??= this.#giveBackAll()
      .catch(() => undefined) // at the next occasion
      .finally(() => {
        this.#givingBack = undefined;
      });
    return this.#givingBack;
  }

  async #giveBackAll(): Promise<void> {
    const claims = [...this.#noted.values()];
    for (let start = 0; start < claims.length; start += DEFAULT_REQUEST_SIZE) {
      const some = claims.slice(start, start + DEFAULT_REQUEST_SIZE);
      const found = await Promise.all(some.map((claim) => this.#releaseOf(claim)));
      // Once per key: a row may have gone from one of these owners to another between two looks. The rest stay noted.
      const releases = new Map(found.flatMap((one) => (typeof one === 'object' ? [[one.key, one]] : [])));
      if (releases.size > 0) await this.#release([...releases.values()]);
      if (found.includes('unknown')) return; // a store that does not answer is not asked for the others
    }
  }

  async #release(releases: readonly Settlement[]): Promise<void> {
    const outcomes = await this.#store.settle(releases);
    releases.forEach(({ owner }, index) => {
      if (typeof outcomes[index] === 'string') this.#forget(owner);
    });
  }

  async #releaseOf({ key, owner, retentionMs }: UnstartedClaim): Promise<Settlement | 'nothing' | 'unknown'> {
    try {
      const stored = await this.#store.inspect(key);
      if (stored?.status === 'IN_PROGRESS' && stored.owner === owner) {
        return { end: 'release', key, owner, releases: stored.releases, retentionMs };
      }
      if (stored?.owner === owner || this.#missed.has(owner)) this.#forget(owner);
      else this.#missed.add(owner);
      return 'nothing';
    } catch (thrown) {
      if (!mayPass(thrown)) this.#forget(owner);
      return 'unknown';
    }
  }

  #forget(owner: string): void {
    this.#noted.delete(owner);
    this.#missed.delete(owner);
  }
}

/** The same for one of the invocations of a process: it has those that it noted itself, and gives back all. */
export function notedHere(claims: UnstartedClaims): UnstartedClaims {
  let hasNoted = false;
  return {
    note(claim) {
      hasNoted = true;
      claims.note(claim);
    },
    get hasAny() {
      return hasNoted && claims.hasAny;
    },
    giveBack: () => claims.giveBack(),
  };
}
