import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';

const WRITTEN = new URL('../../lab/serializers/', import.meta.url);

/** Records that the official serializers wrote, as base64 by name (lab/serializers). */
export type Written = Readonly<Record<'avro' | 'protobuf', Readonly<Record<string, string>>>>;

export const byConfluent = JSON.parse(serializerFile('confluent.json')) as Written;

export const byGlue = JSON.parse(serializerFile('glue.json')) as Written & {
  readonly schemas: Readonly<Record<string, string>>;
};

export function serializerFile(name: string): string {
  return readFileSync(new URL(name, WRITTEN), 'utf8');
}

/** A registry on 127.0.0.1 with the APIs of Confluent and AWS Glue. */
export interface SchemaServer {
  readonly endpoint: string;
  /** Method and path, or the operation, of each request. */
  readonly requests: string[];
  /** The definitions that were registered in Glue's API, by id. */
  readonly schemas: Record<string, string>;
  /** Answers all further requests; undefined lets the registry answer again. */
  answer: ((response: ServerResponse) => void) | undefined;
  stop(): Promise<void>;
}

/** What Confluent's registry has after lab/serializers/confluent.mjs, by path. */
const CONFLUENT: Readonly<Record<string, object>> = {
  '/schemas/ids/2': {
    schema: serializerFile('order-placed.avsc'),
    references: [{ name: 'shop.Address', subject: 'address', version: 1 }],
  },
  '/subjects/address/versions/1': { id: 1, version: 1, schema: serializerFile('address.avsc') },
  '/schemas/ids/3': { schema: '"bytes"' },
  '/schemas/ids/1': { schemaType: 'PROTOBUF', schema: serializerFile('shop.proto') },
};

export async function startSchemaServer(): Promise<SchemaServer> {
  const requests: string[] = [];
  const schemas: Record<string, string> = { ...byGlue.schemas };
  const server = createServer((request, response) => void respond(request, response));
  const port = await listenLocally(server);
  const schemaServer: SchemaServer = {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    schemas,
    answer: undefined,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const operation = request.headers['x-amz-target'];
    requests.push(`${request.method} ${operation === undefined ? request.url : String(operation)}`);
    if (schemaServer.answer !== undefined) return schemaServer.answer(response);
    const answer = operation === undefined ? CONFLUENT[request.url ?? ''] : ofGlue(JSON.parse(body) as Asked);
    if (answer === undefined) {
      const type = operation === undefined ? {} : { __type: 'EntityNotFoundException' };
      response.writeHead(operation === undefined ? 404 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(type));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    }
  }

  /** GetSchemaVersion, and GetSchemaByDefinition for any definition. */
  function ofGlue({ SchemaVersionId: id, SchemaDefinition: definition }: Asked): object | undefined {
    if (definition !== undefined) {
      const given = idOf(definition);
      schemas[given] = definition;
      return { SchemaVersionId: given, Status: 'AVAILABLE' };
    }
    const found = schemas[id ?? ''];
    return found === undefined
      ? undefined
      : { SchemaVersionId: id, SchemaDefinition: found, Status: 'AVAILABLE' };
  }

  return schemaServer;
}

interface Asked {
  readonly SchemaVersionId?: string;
  readonly SchemaDefinition?: string;
}

/** An id that is the same in each run. */
function idOf(definition: string): string {
  const digest = createHash('sha256').update(definition).digest('hex').slice(0, 32);
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
