import {
  type ClaimRequest,
  type ClaimStore,
  DEFAULT_REQUEST_SIZE,
  type Settlement,
} from '../claims/claim-store.ts';
import { mayPass } from '../base/errors.ts';

/** A claim that may be held without a started handler: the answer to its acquire or release was lost. */
type UnstartedClaim = Pick<ClaimRequest, 'key' | 'owner' | 'retentionMs'>;

/**
 * Claims that the process releases as soon as its store answers again. The next attempt would otherwise take
 * them for crashes. Releases are conditional on the owner token, so no other owner's row is touched.
 */
export interface UnstartedClaims {
  note(claim: UnstartedClaim): void;
  hasAny(): boolean;
  /** Tries once to release all noted claims. Unanswered ones stay noted. Never rejects. */
  giveBack(): Promise<void>;
}

type ReleasingStore = Pick<ClaimStore, 'inspect' | 'settle' | 'requestSize'>;

/** The limit of noted claims. Those beyond it lapse with their leases. */
const MOST_NOTED = 1_000;

export function unstartedClaims(store: ReleasingStore): UnstartedClaims {
  return new NotedClaims(store);
}

class NotedClaims implements UnstartedClaims {
  readonly #store: ReleasingStore;
  readonly #noted = new Map<string, UnstartedClaim>();
  /** Owners not found once: an abandoned acquire may still be written after the first look. */
  readonly #missed = new Set<string>();
  #givingBack: Promise<void> | undefined;

  constructor(store: ReleasingStore) {
    this.#store = store;
  }

  note(claim: UnstartedClaim): void {
    if (this.#noted.size < MOST_NOTED) this.#noted.set(claim.owner, claim);
  }

  hasAny(): boolean {
    return this.#noted.size > 0;
  }

  giveBack(): Promise<void> {
    if (this.#noted.size === 0) return Promise.resolve();
    this.#givingBack ??= this.#giveBackAll()
      .catch(() => undefined) // tried again at the next occasion
      .finally(() => {
        this.#givingBack = undefined;
      });
    return this.#givingBack;
  }

  async #giveBackAll(): Promise<void> {
    const claims = [...this.#noted.values()];
    // Each is read by a call of its own, so a large request would be as many calls at once.
    const size = Math.min(this.#store.requestSize ?? DEFAULT_REQUEST_SIZE, DEFAULT_REQUEST_SIZE);
    for (let start = 0; start < claims.length; start += size) {
      const some = claims.slice(start, start + size);
      const found = await Promise.all(some.map((claim) => this.#releaseOf(claim)));
      // One release per key: a row may change from one of these owners to another between two reads.
      const releases = new Map(found.flatMap((one) => (typeof one === 'object' ? [[one.key, one]] : [])));
      if (releases.size > 0) await this.#release([...releases.values()]);
      if (found.includes('unknown')) return; // do not ask an unavailable store for the others
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

/** Returns a view for one invocation: `hasAny` is its own, `giveBack` covers all claims. */
export function notedHere(claims: UnstartedClaims): UnstartedClaims {
  let hasNoted = false;
  return {
    note(claim) {
      hasNoted = true;
      claims.note(claim);
    },
    hasAny: () => hasNoted && claims.hasAny(),
    giveBack: () => claims.giveBack(),
  };
}
