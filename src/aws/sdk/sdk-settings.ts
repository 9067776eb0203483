import type { Clock } from '../../base/clock.ts';
import { type FoundCredentials, keptCredentials } from './kept-credentials.ts';
import { withoutVersionWarning } from './load-package.ts';

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
