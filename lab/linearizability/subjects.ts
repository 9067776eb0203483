import { randomUUID } from 'node:crypto';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import type { Component } from '../../test/support/components/component.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import type { HammeredStore } from './hammer-setup.ts';

/** A server that keeps claims. */
export interface Subject {
  readonly name: string;
  readonly component: Component;
  /** An empty place for claims on the server. */
  newStore(server: LocalService): Promise<HammeredStore>;
}

export const onPostgres: Subject = {
  name: 'PostgreSQL',
  component: componentNamed('postgres'),
  async newStore({ endpoint }) {
    const pool = poolOf(endpoint);
    const table = await createPostgresTable(pool);
    await pool.end();
    return { kind: 'postgres', endpoint, table };
  },
};

export const onRedis: Subject = {
  name: 'Redis',
  component: componentNamed('redis'),
  newStore: async ({ endpoint }) => ({ kind: 'redis', endpoint, prefix: `${randomUUID()}:` }),
};

export const onDynoxide: Subject = onDynamoDB('dynoxide, batched writes', 'dynoxide', 'batch');

export const subjects: readonly Subject[] = [
  onPostgres,
  onRedis,
  onDynamoDB('DynamoDB Local, batched writes', 'dynamodb-local', 'batch'),
  onDynamoDB('DynamoDB Local, single writes', 'dynamodb-local', 'single'),
  onDynoxide,
];

function onDynamoDB(name: string, component: string, writes: 'batch' | 'single'): Subject {
  return {
    name,
    component: componentNamed(component),
    async newStore({ endpoint }) {
      const client = emulatorClient(endpoint);
      const table = await createClaimsTable(client);
      client.destroy();
      return { kind: 'dynamodb', endpoint, table, writes };
    },
  };
}
