import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { commandOf } from '../../../aws/sdk/command-client.ts';
import { withoutVersionWarning } from '../../../aws/sdk/load-package.ts';
import { requestHandler, type SdkSettings } from '../../../aws/sdk/sdk-settings.ts';
import { isObject } from '../../../base/is-object.ts';
import type { Transport } from '../transport.ts';
import { loadSdk, type Sdk } from './sdk-transport.ts';

/**
 * Creates a transport with its own client. `why`: the reason why the SDK is needed; `credentials`: a provider
 * with a time limit. With `cacheMiddleware` the SDK resolves an operation's stack once if requests have no
 * options, so they get no abort signal: once abandoned they run until their timeout, but are not retried.
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
      const own = { ...input }; // a copy, because the caller may send the same input again
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

/** Adds a middleware that stops an abandoned request before each attempt, retries included. */
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

/** Creates a client that keeps connections, and times out long before the function does. */
export function tunedClient(
  { DynamoDBClient }: Sdk,
  credentials?: SdkSettings['credentials'],
): DynamoDBClient {
  const agent = { keepAlive: true, noDelay: true, maxSockets: 100 };
  const config = {
    cacheMiddleware: true,
    ...(credentials !== undefined && { credentials: async () => credentials() }),
    requestHandler: { ...requestHandler, httpAgent: agent, httpsAgent: agent },
  };
  const client = withoutVersionWarning(() => new DynamoDBClient(config));
  // It formats every request and response for a log that nobody reads.
  client.middlewareStack.remove('loggerMiddleware');
  writePlainJson(client);
  return client;
}

/**
 * Replaces the SDK's serializer by plain JSON. The store already uses DynamoDB's own JSON (`{ S: … }`), so
 * walking the schemas changes nothing and costs about a quarter of a batched request's CPU (`npm run bench`).
 * Does nothing if a later SDK keeps its codec elsewhere.
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
