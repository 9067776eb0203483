import { inspect } from 'node:util';
import { GlueClient } from '@aws-sdk/client-glue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { confluentRegistry, glueRegistry } from 'batchlatch/avro';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import {
  byGlue,
  type SchemaServer,
  serializerFile,
  startSchemaServer,
} from '../support/schema-registries.ts';

const { signal } = new AbortController();
let server: SchemaServer;
beforeAll(async () => {
  server = await startSchemaServer();
});
afterEach(() => {
  server.answer = undefined;
});
afterAll(() => server.stop());

describe('confluentRegistry', () => {
  const schemaOf = async (id: string) => confluentRegistry({ url: server.endpoint }).schemaOf(id, { signal });

  it('gives a schema and those that it references', async () => {
    expect(await schemaOf('2')).toEqual({
      schema: serializerFile('order-placed.avsc'),
      imports: { 'shop.Address': serializerFile('address.avsc') },
    });
  });

  it('has no schema with an unknown id', async () => {
    expect(await schemaOf('404')).toBeUndefined();
  });

  it('sends the headers that a function returns', async () => {
    const seen: unknown[] = [];
    server.answer = (response) => {
      seen.push(response.req.headers.authorization);
      response.end('{"schema":"\\"int\\""}');
    };
    const headers = async () => ({ authorization: 'Bearer token' });
    await confluentRegistry({ url: `${server.endpoint}/`, headers }).schemaOf('1', { signal });
    expect(seen).toEqual(['Bearer token']);
  });

  it.each(['Basic c2Vj\ncmV0', 'Basic c2Vj\u0000cmV0', 'Basic ge…heim'])(
    'says that the header %j cannot be sent without showing it',
    async (authorization) => {
      const given = [{ authorization }, () => ({ authorization })];
      for (const headers of given) {
        const registry = confluentRegistry({ url: server.endpoint, headers });
        const error: unknown = await Promise.resolve(registry.schemaOf('1', { signal })).catch(
          (thrown: unknown) => thrown,
        );
        expect(inspect(error)).toContain('has a name or a value that HTTP does not allow');
        expect(inspect(error)).not.toMatch(/c2Vj|heim/);
      }
    },
  );

  it.each([
    ['an error', 500, '{"message":"secret"}', 'The registry answered with the status 500'],
    ['a page', 200, '<html>', /Unexpected token/],
    ['no schema', 200, '{"schema":1}', 'The registry answered without a schema'],
    ['a long answer', 200, 'x'.repeat(4 * 1_048_576 + 1), 'The registry answered with more than 4 MB'],
    [
      'a reference that does not exist',
      200,
      '{"schema":"{}","references":[{"name":"a","subject":"none","version":1}]}',
      'The registry does not have a schema that it references',
    ],
  ])('throws for %s', async (_, status, body, message) => {
    server.answer = (response) => {
      const isFirst = response.req.url === '/schemas/ids/1';
      response.writeHead(isFirst ? status : 404).end(isFirst ? body : '');
    };
    await expect(schemaOf('1')).rejects.toThrow(message);
  });

  it('gives a registry up that references more than a hundred schemas', async () => {
    let next = 0;
    server.answer = (response) => {
      next += 1;
      const references = [{ name: `n${next}`, subject: `s${next}`, version: 1 }];
      response.end(JSON.stringify({ schema: '{}', references }));
    };
    await expect(schemaOf('1')).rejects.toThrow('It references more than 100 schemas');
  });

  it.each([
    [{ url: 'https://key:secret@registry.example.com' }],
    [{ url: 'ftp://registry.example.com' }],
    [{ url: 'https://registry.example.com', headers: { authorization: ['secret'] } }],
  ])('refuses invalid options without showing them', (options) => {
    const create = () => confluentRegistry(options as unknown as Parameters<typeof confluentRegistry>[0]);
    expect(create).toThrow('confluentRegistry: Expected');
    expect(create).not.toThrow('secret');
  });
});

describe('glueRegistry', () => {
  it('asks GetSchemaVersion, and has no schema with an unknown id', async () => {
    const client = new GlueClient({ ...emulatorClientConfig, endpoint: server.endpoint, maxAttempts: 1 });
    const registry = glueRegistry({ client });
    const [id = '', schema] = Object.entries(byGlue.schemas)[0] ?? [];
    expect(await registry.schemaOf(id, { signal })).toBe(schema);
    expect(await registry.schemaOf('00000000-0000-0000-0000-000000000000', { signal })).toBeUndefined();
    server.answer = (response) => response.writeHead(400).end('{"__type":"AccessDeniedException"}');
    await expect((async () => registry.schemaOf(id, { signal }))()).rejects.toThrow();
    client.destroy();
  });

  it('refuses a client without send()', () => {
    expect(() => glueRegistry({ client: {} as GlueClient })).toThrow('glueRegistry: Expected `client`');
  });
});
