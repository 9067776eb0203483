import type { RetrySetup } from './retry.ts';
import { ownSdkTransport } from './sdk/own-client.ts';
import type { Transport } from './transport.ts';

/** Requests as the environment says: its region, endpoint and credentials. */
export function transportFromEnvironment(_setup: RetrySetup): Transport {
  return ownSdkTransport('No `client` was given');
}
