import { Buffer } from 'node:buffer';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { commandOf } from '../../../aws/sdk/command-client.ts';
import { withoutVersionWarning } from '../../../aws/sdk/load-package.ts';
import type { SdkSettings } from '../../../aws/sdk/sdk-settings.ts';
import { isObject } from '../../../base/is-object.ts';
import type { Transport } from '../transport.ts';
import { loadSdk, type Sdk } from './sdk-transport.ts';

/**
 * Requests through a client of the store's own. `why` is what the SDK is needed for; `credentials` are looked for with a
 * time limit. With `cacheMiddleware` the SDK resolves the stack of an operation once, if it is given no options: so a
 * request that is no longer awaited goes on until its timeout, but is not sent again.
 */
export function ownSdkTransport(why: string, credentials: SdkSettings['credentials']): Transport {
  const givenUp = new WeakSet<object>();
  let loaded: { readonly sdk: Sdk; readonly client: DynamoDBClient } | undefined;
  return {
    async send(operation, input, signal) {
      if (loaded === undefined) {
        const sdk = await loadSdk(why);
        loaded ??= { sdk, client: sendingWhatIsAwaited(tunedClient(sdk, credentials), givenUp) };
      }
      const own = { ...input }; // the same may be sent again by its sender, who then waits for it anew
      const giveUp = (): void => void givenUp.add(own);
      if (signal?.aborted === true) giveUp();
      signal?.addEventListener('abort', giveUp);
      try {
        return (await loaded.client.send(commandOf(loaded.sdk, operation, own) as never)) as never;
      } finally {
        signal?.removeEventListener('abort', giveUp);
      }
    },
  };
}

/** Before each sending, retries included, the client looks whether its input has been given up. */
function sendingWhatIsAwaited(client: DynamoDBClient, givenUp: WeakSet<object>): DynamoDBClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      if (!givenUp.has(args.input)) return next(args);
      throw Object.assign(new Error('The request was given up'), { name: 'AbortError' });
    },
    { step: 'finalizeRequest', priority: 'low', name: 'givenUpMiddleware' },
  );
  return client;
}

/** Keeps connections, and gives up on a silent one long before the function's time is over. */
export function tunedClient(
  { DynamoDBClient }: Sdk,
  credentials?: SdkSettings['credentials'],
): DynamoDBClient {
  const agent = { keepAlive: true, noDelay: true, maxSockets: 100 };
  const config = {
    cacheMiddleware: true,
    ...(credentials !== undefined && { credentials: async () => credentials() }),
    requestHandler: {
      connectionTimeout: 2_500, // a lost SYN is sent again after one second
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
  const client = withoutVersionWarning(() => new DynamoDBClient(config));
  // It walks through every request and answer to write a log entry that is not read.
  client.middlewareStack.remove('loggerMiddleware');
  writePlainJson(client);
  return client;
}

/**
 * The store speaks DynamoDB's own JSON (`{ S: … }`), so the SDK's walk along the schemas changes nothing; it costs about a
 * quarter of a batched request's CPU (`npm run bench`). A later SDK that keeps its codec elsewhere is left as it is.
 */
function writePlainJson(client: DynamoDBClient): void {
  const protocol: unknown = Reflect.get(client.config, 'protocol');
  if (!hasCodec(protocol)) return;
  let written = '';
  protocol.serializer = {
    write: (_schema, value) => {
      written = JSON.stringify(value);
    },
    flush: () => written,
  };
  protocol.deserializer = { read: (_schema, bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')) };
}

interface JsonCodec {
  serializer: { write(schema: unknown, value: unknown): void; flush(): string };
  deserializer: { read(schema: unknown, bytes: Uint8Array): unknown };
}

function hasCodec(protocol: unknown): protocol is JsonCodec {
  const { serializer, deserializer } = (isObject(protocol) ? protocol : {}) as Partial<JsonCodec>;
  return (
    typeof serializer?.write === 'function' &&
    typeof serializer.flush === 'function' &&
    typeof deserializer?.read === 'function'
  );
}
