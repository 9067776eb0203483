import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { withoutVersionWarning } from './without-version-warning.ts';

interface FoundCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What AWS's SDK reads of the environment, of its files, and of where the process runs. */
export interface SdkSettings {
  /**
   * Credentials: of a container, by web identity, of an instance, of a profile. The SDK keeps them, and looks for new ones five
   * minutes before they expire.
   */
  credentials(): Promise<FoundCredentials>;
  /** Rejects where none is configured. */
  region(): Promise<string>;
}

type Sdk = { readonly DynamoDBClient: new (config: DynamoDBClientConfig) => DynamoDBClient };

/** Clients that find credentials take these from it: none waits for a silent server for long. */
const requestHandler = { connectionTimeout: 2_500, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** Any client of the SDK finds the same; `load` gives the one that is there, and is called when something is first asked for. */
export function sdkSettings(load: () => Promise<Sdk>, config: DynamoDBClientConfig = {}): SdkSettings {
  let made: DynamoDBClient['config'] | undefined;
  const settings = async (): Promise<DynamoDBClient['config']> => {
    if (made === undefined) {
      const { DynamoDBClient } = await load();
      made ??= withoutVersionWarning(() => new DynamoDBClient({ requestHandler, ...config })).config; // one for all who waited
    }
    return made;
  };
  return {
    credentials: async () => (await settings()).credentials(),
    region: async () => (await settings()).region(),
  };
}
