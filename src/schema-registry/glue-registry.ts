import type * as Glue from '@aws-sdk/client-glue';
import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { checkOptionsOf, objectWith } from '../options/check-options.ts';
import type { CommandClient } from '../options/command-client.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/** Options of `glueRegistry()`. */
export interface GlueRegistryOptions {
  /** A `GlueClient`. Default: a new one for the environment's region, created for the first schema. */
  readonly client?: CommandClient;
}

/**
 * Returns the AWS Glue Schema Registry, for payloads in its framing. Needs `@aws-sdk/client-glue` and
 * `glue:GetSchemaVersion`. Throws a `ConfigurationError` for invalid options.
 *
 * https://docs.aws.amazon.com/glue/latest/webapi/API_GetSchemaVersion.html
 *
 * @param options The client.
 *
 * @example
 * avro({ registry: glueRegistry() });
 */
export function glueRegistry(options: GlueRegistryOptions = {}): SchemaRegistry {
  checkOptionsOf('glueRegistry', options, { client: objectWith('send') });
  let { client } = options;
  return {
    framing: 'glue',
    async schemaOf(id, { signal }) {
      const { GetSchemaVersionCommand, GlueClient } = await loadSdk();
      client ??= new GlueClient({});
      try {
        const command = new GetSchemaVersionCommand({ SchemaVersionId: id });
        const { SchemaDefinition: schema } = await (client as Glue.GlueClient).send(command, {
          abortSignal: signal,
        });
        return schema;
      } catch (thrown) {
        if (isObject(thrown) && 'name' in thrown && thrown.name === 'EntityNotFoundException')
          return undefined;
        throw thrown;
      }
    },
  };
}

/** Loads the SDK on first use: it is an optional peer dependency. */
async function loadSdk(): Promise<typeof Glue> {
  try {
    return await import('@aws-sdk/client-glue');
  } catch (cause) {
    const message = 'glueRegistry needs `@aws-sdk/client-glue`: npm install @aws-sdk/client-glue';
    throw new ConfigurationError(message, { cause });
  }
}
