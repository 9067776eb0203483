import { stoppableCall } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import { withoutVersionWarning } from './load-package.ts';

export interface FoundCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** The settings that AWS's SDK finds in the environment, its files and its surroundings. */
export interface SdkSettings {
  /** Returns the credentials of a container, web identity, instance or profile; see `keptCredentials`. */
  credentials(): FoundCredentials | Promise<FoundCredentials>;
  /** Rejects if no region is configured. */
  region(): Promise<string>;
}

interface Configured {
  readonly config: { credentials(): Promise<FoundCredentials>; region(): Promise<string> };
}

/** Any client of the SDK: all find the same settings. */
export type AnyClient = new (config: {
  requestHandler: typeof requestHandler;
  region?: string;
}) => Configured;

interface Setup {
  readonly clock: Clock;
  /** Creates the error if no credentials are found in time. */
  readonly silent: () => Error;
  readonly region?: string;
}

/** The limits of the SDK's requests: no silent server blocks them for long, and a lost SYN is sent again. */
export const requestHandler = {
  connectionTimeout: 2_500,
  requestTimeout: 3_000,
  throwOnRequestTimeout: true,
};

/** Returns the SDK's settings. `load` loads a client class when a setting is first read. */
export function sdkSettings(load: () => Promise<AnyClient>, { clock, silent, region }: Setup): SdkSettings {
  /** Creates a client each time: the SDK keeps a hanging lookup, and later ones would wait for it. */
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

/** How long before their expiry credentials are renewed, as in the SDK. The old ones are used meanwhile. */
const EARLY_MS = 300_000;
/** How long a failed early renewal is not retried. */
const BETWEEN_RENEWALS_MS = 10_000;

/** Both lookups fit into a request's ten seconds. The SDK retries a failing container for three. */
const LOOK_MS = 4_000;
const LOOKS = 2;

/**
 * The SDK sets no time limit on a container's endpoint, so a lookup that was given up keeps its connection.
 * After this many, another is made at most once a minute.
 */
const MOST_HANGING = 5;
const BETWEEN_LOOKS_MS = 60_000;

/**
 * Returns a function that shares credentials among all callers and renews them before they expire. `find`
 * starts each lookup anew, so none waits for an earlier one. Failed and hanging lookups are not kept.
 * `silent` creates the error if none ended.
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

  /** Looks credentials up, and keeps them even if the lookup was given up. */
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
        if (kept !== undefined && leftMs(kept) > EARLY_MS) return kept; // an earlier lookup ended meanwhile
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
