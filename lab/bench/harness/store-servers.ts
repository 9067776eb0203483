import { createClient } from '@redis/client';
import { Client } from 'pg';
import type { Component } from '../../../test/support/components/component.ts';
import { postgres, startPostgres } from '../../../test/support/components/postgres.ts';
import { redis, startRedis } from '../../../test/support/components/redis.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Lab } from './lab.ts';
import type { Progress } from './progress.ts';

/** A database server that claims are kept in. */
export interface StoreServer {
  readonly name: 'postgres' | 'redis';
  /** Its version and the settings that decide what a write costs, as a sentence for the results page. */
  readonly settings: string;
}

interface Startable {
  readonly name: StoreServer['name'];
  readonly component: Component;
  start(): Promise<LocalService>;
  settingsOf(endpoint: string): Promise<string>;
}

const SERVERS: readonly Startable[] = [
  {
    name: 'postgres',
    component: postgres,
    // As PostgreSQL is when nobody changes anything.
    start: () => startPostgres({ settings: { fsync: 'on', synchronous_commit: 'on', jit: 'on' } }),
    settingsOf: postgresSettings,
  },
  {
    name: 'redis',
    component: redis,
    // A claim that a restart forgets would be of little use: as people run it who keep more than a cache in it.
    start: () => startRedis({ settings: ['--appendonly', 'yes', '--appendfsync', 'everysec'] }),
    settingsOf: redisSettings,
  },
];

/** Starts PostgreSQL and Redis on free ports, for the rest of the run. What this machine cannot have is left out. */
export async function startStoreServers(lab: Lab, progress: Progress): Promise<StoreServer[]> {
  const started: StoreServer[] = [];
  for (const { name, component, start, settingsOf } of SERVERS) {
    const missing = component.whyMissing();
    if (missing !== undefined) {
      progress.note(`${name}: left out, ${missing}`);
      continue;
    }
    const { endpoint } = lab.add(await start());
    lab.serve(name, endpoint);
    started.push({ name, settings: await settingsOf(endpoint) });
  }
  return started;
}

const POSTGRES_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'jit'];

async function postgresSettings(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, current_setting(name) AS setting FROM pg_settings WHERE name = ANY ($1::text[])',
    [[...POSTGRES_SETTINGS, 'server_version']],
  );
  await client.end();
  const values = new Map(rows.map(({ name, setting }) => [name, setting]));
  const settings = POSTGRES_SETTINGS.map((name) => `\`${name}\` ${values.get(name)}`);
  return `PostgreSQL ${values.get('server_version')?.split(' ')[0]} with ${settings.join(', ')}`;
}

const REDIS_SETTINGS = ['appendonly', 'appendfsync', 'save', 'maxmemory-policy'];

async function redisSettings(url: string): Promise<string> {
  const client = await createClient({ url }).connect();
  const values = await client.configGet(REDIS_SETTINGS);
  const [, version] = /redis_version:(\S+)/.exec(await client.info('server')) ?? [];
  await client.close();
  const settings = REDIS_SETTINGS.map((name) => `\`${name}\` ${values[name] || "''"}`);
  return `Redis ${version} with ${settings.join(', ')}`;
}
