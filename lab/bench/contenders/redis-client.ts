import { createClient } from '@redis/client';
import { Redis } from 'ioredis';
import { noteRequest } from '../requests-sent.ts';

type NodeRedis = ReturnType<typeof createClient>;

let nodeRedis: Promise<NodeRedis> | undefined;
let ioredis: Redis | undefined;

/** The client of Powertools' documentation, with its defaults: it sends what is asked for in one turn together. */
export function sharedNodeRedis(url: string): Promise<NodeRedis> {
  nodeRedis ??= connected(createClient({ url }));
  return nodeRedis;
}

export function sharedIoredis(url: string): Redis {
  if (ioredis !== undefined) return ioredis;
  ioredis = new Redis(url);
  const send = ioredis.sendCommand.bind(ioredis);
  ioredis.sendCommand = (...command) => {
    noteRequest();
    return send(...command);
  };
  return ioredis;
}

async function connected(client: NodeRedis): Promise<NodeRedis> {
  await client.connect();
  // What a client hands out stands before the one that sends: commands such as SET go past it.
  const sender = Object.getPrototypeOf(client) as NodeRedis;
  const send = sender.sendCommand.bind(sender) as (...command: unknown[]) => Promise<never>;
  sender.sendCommand = (...command: unknown[]) => {
    noteRequest();
    return send(...command);
  };
  return client;
}
