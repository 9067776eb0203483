import { stoppableCall } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import { withoutVersionWarning } from './load-package.ts';

/** Credentials that AWS's SDK found. */
export interface FoundCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** What AWS's SDK reads of the environment, of its files, and of where the process runs. */
export interface SdkSettings {
  /** Credentials of a container, by web identity, of an instance, of a profile; see `keptCredentials`. */
  credentials(): FoundCredentials | Promise<FoundCredentials>;
  /** Rejects where none is configured. */
  region(): Promise<string>;
}

interface Configured {
  readonly config: { credentials(): Promise<FoundCredentials>; region(): Promise<string> };
}

/** Any client of the SDK: all find the same. */
export type AnyClient = new (config: {
  requestHandler: typeof requestHandler;
  region?: string;
}) => Configured;

interface Setup {
  readonly clock: Clock;
  /** Makes the error where credentials are not found in time. */
  readonly silent: () => Error;
  readonly region?: string;
}

/** Clients that find credentials take these from it: none waits for a silent server for long. */
const requestHandler = { connectionTimeout: 2_500, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** `load` gives a client of the SDK, and is called when something is asked for. */
export function sdkSettings(load: () => Promise<AnyClient>, { clock, silent, region }: Setup): SdkSettings {
  /** A new client each time, because the SDK keeps a look that hangs, and has all later ones wait for it. */
  const settings = async (): Promise<Configured['config']> => {
    const Client = await load();
    const config = { requestHandler, ...(region !== undefined && { region }) };
    return withoutVersionWarning(() => new Client(config)).config;
  };
  return {
    credentials: keptCredentials(async () => (await settings()).credentials(), { clock, silent }),
    region: async () => (await settings()).region(),
  };
}

/** Renewed this long before they expire, as the SDK does it; until then the old ones are used. */
const EARLY_MS = 300_000;
/** How long an early renewal that failed is not tried again. */
const BETWEEN_RENEWALS_MS = 10_000;

/** Both looks fit into the ten seconds of a request. The SDK asks a container that refuses for three seconds. */
const LOOK_MS = 4_000;
const LOOKS = 2;

/**
 * The SDK sets no time limit on a container's endpoint, so that a look which is given up keeps its
 * connection. After this many of them, another one is made at most once a minute.
 */
const MOST_HANGING = 5;
const BETWEEN_LOOKS_MS = 60_000;

/**
 * Credentials that are found once for everybody who asks, and renewed before they expire. `find` looks for
 * them, each time from the start: no look waits for an earlier one. A look that fails or hangs is not kept.
 * `silent` makes the error where none ended.
 */
export function keptCredentials(
  find: () => Promise<FoundCredentials>,
  { clock, silent }: Setup,
): () => FoundCredentials | Promise<FoundCredentials> {
  let kept: FoundCredentials | undefined;
  let looking: Promise<FoundCredentials> | undefined;
  let hanging = 0;
  let lookedAt = -Infinity;
  let renewedAt = -Infinity;

  /** Also takes what a look brings after it was given up. */
  async function look(): Promise<FoundCredentials> {
    hanging += 1;
    lookedAt = clock.now();
    try {
      const found = await find();
      if (leftMs(found) >= leftMs(kept)) kept = found;
      return found;
    } finally {
      hanging -= 1;
    }
  }

  async function lookTwice(): Promise<FoundCredentials> {
    for (let looks = 1; ; looks += 1) {
      if (hanging >= MOST_HANGING && clock.now() - lookedAt < BETWEEN_LOOKS_MS) throw silent();
      try {
        return await stoppableCall(look, { clock, limitMs: LOOK_MS, errorOf: silent });
      } catch (error) {
        if (kept !== undefined && leftMs(kept) > EARLY_MS) return kept; // an earlier look ended meanwhile
        if (looks === LOOKS) throw error;
      }
    }
  }

  function renewed(): Promise<FoundCredentials> {
    looking ??= lookTwice().finally(() => (looking = undefined));
    return looking;
  }

  function leftMs(credentials: FoundCredentials | undefined): number {
    if (credentials === undefined) return -Infinity;
    return (credentials.expiration?.getTime() ?? Infinity) - clock.now();
  }

  return () => {
    if (kept === undefined || leftMs(kept) <= 0) return renewed();
    if (leftMs(kept) <= EARLY_MS && clock.now() - renewedAt >= BETWEEN_RENEWALS_MS) {
      renewedAt = clock.now();
      renewed().catch(() => undefined);
    }
    return kept;
  };
}
