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
  /** By owner: no two attempts share one. */
  const noted = new Map<string, UnstartedClaim>();
  /** Owners that were not found: an acquire that was given up may be written after the first look. */
  const missed = new Set<string>();
  let givingBack: Promise<void> | undefined;

  async function giveBackAll(): Promise<void> {
    const claims = [...noted.values()];
    for (let start = 0; start < claims.length; start += DEFAULT_REQUEST_SIZE) {
      const found = await Promise.all(claims.slice(start, start + DEFAULT_REQUEST_SIZE).map(releaseOf));
      // Once per key: a row may have gone from one of these owners to another between two looks. The rest stay noted.
      const releases = new Map(found.flatMap((one) => (typeof one === 'object' ? [[one.key, one]] : [])));
      if (releases.size > 0) await giveBackThese([...releases.values()]);
      if (found.includes('unknown')) return; // a store that does not answer is not asked for the others
    }
  }

  async function giveBackThese(releases: readonly Settlement[]): Promise<void> {
    const outcomes = await store.settle(releases);
    releases.forEach(({ owner }, index) => {
      if (typeof outcomes[index] === 'string') forget(owner);
    });
  }

  async function releaseOf({
    key,
    owner,
    retentionMs,
  }: UnstartedClaim): Promise<Settlement | 'nothing' | 'unknown'> {
    try {
      const stored = await store.inspect(key);
      if (stored?.status === 'IN_PROGRESS' && stored.owner === owner) {
        return { end: 'release', key, owner, releases: stored.releases, retentionMs };
      }
      if (stored?.owner === owner || missed.has(owner)) forget(owner);
      else missed.add(owner);
      return 'nothing';
    } catch (thrown) {
      if (!mayPass(thrown)) forget(owner);
      return 'unknown';
    }
  }

  function forget(owner: string): void {
    noted.delete(owner);
    missed.delete(owner);
  }

  return {
    note(claim) {
      if (noted.size < MOST_NOTED) noted.set(claim.owner, claim);
    },
    get hasAny() {
      return noted.size > 0;
    },
    giveBack() {
      if (noted.size === 0) return Promise.resolve();
      givingBack ??= giveBackAll()
        .catch(() => undefined) // at the next occasion
        .finally(() => {
          givingBack = undefined;
        });
      return givingBack;
    },
  };
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
