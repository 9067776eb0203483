import { loadSdk } from './load-sdk.ts';
import { tunedClient } from './own-client.ts';

interface FoundCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Credentials as AWS's SDK finds them: of a container, by web identity, of an instance. The SDK keeps them, looks for new ones
 * five minutes before they expire, and is loaded when they are first asked for. `why` is what it is needed for.
 */
export function providerChain(why: string): () => Promise<FoundCredentials> {
  let chain: (() => Promise<FoundCredentials>) | undefined;
  return async () => {
    if (chain === undefined) {
      const sdk = await loadSdk(why);
      chain ??= tunedClient(sdk).config.credentials; // one for all who waited
    }
    return chain();
  };
}
