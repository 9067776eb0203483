import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import {
  confluentSerializers,
  runWithConfluentSerializers,
} from '../../test/support/components/confluent-serializers.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { glueSerializers, runWithGlueSerializers } from '../../test/support/components/glue-serializers.ts';
import {
  byConfluent,
  byGlue,
  serializerFile,
  startSchemaServer,
} from '../../test/support/schema-registries.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../serializers/${name}`, import.meta.url));

describeWith([confluentSerializers, glueSerializers], 'The records in lab/serializers', () => {
  it(
    "are what Confluent's serializers write",
    async () => {
      const written = await runWithConfluentSerializers(pathOf('confluent.mjs'));
      expect(JSON.parse(written)).toEqual(byConfluent);
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    "and the schemas are what AWS Glue's serializers write and register",
    async () => {
      const server = await startSchemaServer();
      try {
        for (const id of Object.keys(server.schemas)) delete server.schemas[id];
        const lines = await runWithGlueSerializers(pathOf('Glue.java'), [
          server.endpoint,
          JSON.stringify(withAddress()),
          serializerFile('shop.descriptor.base64').trim(),
        ]);
        const written = { avro: {}, protobuf: {} } as Record<string, Record<string, string>>;
        for (const line of lines) {
          const [, format = '', name = '', base64 = ''] = line.split(' ');
          (written[format] ??= {})[name] = base64;
        }
        expect({ schemas: server.schemas, ...written }).toEqual(byGlue);
      } finally {
        await server.stop();
      }
    },
    INSTALL_TIMEOUT_MS,
  );
});

/** Glue has no references between schemas, so the record of the address is inside. */
function withAddress(): object {
  const order = JSON.parse(serializerFile('order-placed.avsc')) as {
    fields: { name: string; type: unknown }[];
  };
  const address: unknown = JSON.parse(serializerFile('address.avsc'));
  const fields = order.fields.map((field) =>
    field.name === 'address' ? { ...field, type: address } : field,
  );
  return { ...order, fields };
}
