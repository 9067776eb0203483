import { describe, expect, it, jest } from '@jest/globals';
import { checkRedis } from 'batchlatch/redis';
import { doctorRedis } from '../../src/doctor/index.ts';

const INFO = {
  redis_version: '7.0.15',
  role: 'master',
  used_memory: '1000',
  maxmemory: '0',
  maxmemory_policy: 'noeviction',
  aof_enabled: '1',
  aof_last_write_status: 'ok',
  rdb_last_bgsave_status: 'ok',
  connected_slaves: '1',
  master_repl_offset: '5000000',
  slave0: 'ip=10.0.0.2,port=6379,state=online,offset=5000000,lag=0',
};

/** A client of node-redis whose server answers so. */
function clientOf(info: Partial<Record<string, string>>, answers: Record<string, unknown> = {}): never {
  const all = { ...INFO, ...info };
  return {
    isOpen: true,
    async sendCommand([command = '', ...args]: string[]) {
      const known = answers[[command, ...args].slice(0, 1).join(' ').toLowerCase()];
      if (known instanceof Error) throw known;
      if (known !== undefined) return known;
      switch (command.toLowerCase()) {
        case 'info':
          return Object.entries(all)
            .filter(([, value]) => value !== '')
            .map(([field, value]) => `${field}:${value}`)
            .join('\r\n');
        case 'time':
          return [String(Math.floor(Date.now() / 1_000)), '0'];
        case 'config':
          return ['save', '3600 1'];
        default:
          return 1;
      }
    },
  } as never;
}

async function codesOf(client: never): Promise<string[]> {
  return (await doctorRedis({ client })).findings.map(({ code, severity }) => `${severity} ${code}`);
}

describe('doctor, of Redis', () => {
  it('finds nothing wrong with a durable server that evicts nothing', async () => {
    const report = await doctorRedis({ client: clientOf({}) });
    expect(report).toEqual({ findings: [], checked: ['Redis 7.0.15'], skipped: [] });
  });

  it.each<[Partial<Record<string, string>>, string]>([
    [{ maxmemory_policy: 'allkeys-lru' }, 'error redis-eviction'],
    [{ maxmemory: '1050' }, 'warning redis-memory-full'],
    [{ aof_enabled: '0' }, 'info redis-not-persistent'],
    [{ rdb_last_bgsave_status: 'err' }, 'error redis-persistence-failing'],
    [{ slave0: 'ip=a,port=1,state=online,offset=4999999,lag=11' }, 'warning redis-replica-lag'],
    [{ slave0: 'ip=a,port=1,state=online,offset=1,lag=0' }, 'warning redis-replica-lag'],
    [{ slave0: 'ip=a,port=1,state=wait_bgsave,offset=0,lag=0' }, 'warning redis-replica-lag'],
    [{ role: 'slave' }, 'error redis-replica'],
    [{ redis_version: '5.0.7' }, 'warning redis-old'],
  ])('finds %j', async (info, finding) => {
    expect(await codesOf(clientOf(info))).toEqual([finding]);
  });

  it('does not wait for ever for a client that keeps its commands until it is connected', async () => {
    jest.useFakeTimers();
    try {
      const client = { isOpen: true, sendCommand: () => new Promise(() => undefined) } as never;
      const asked = Promise.allSettled([doctorRedis({ client }), checkRedis(client)]);
      await jest.advanceTimersByTimeAsync(10_000);
      const silent = { status: 'rejected', reason: { code: 'BATCHLATCH_STORE_SILENT' } };
      expect(await asked).toMatchObject([silent, silent]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('finds a server without a replica, one in memory alone, and one that refuses scripts', async () => {
    expect(await codesOf(clientOf({ slave0: '' }))).toEqual(['info redis-no-replica']);
    const inMemory = clientOf({ aof_enabled: '0' }, { config: ['save', ''] });
    expect(await codesOf(inMemory)).toEqual(['warning redis-not-persistent']);
    const refusing = clientOf({}, { eval: new Error('NOPERM this user has no permissions to run eval') });
    expect(await codesOf(refusing)).toEqual(['error redis-scripts-refused']);
  });

  it('says what it may not ask', async () => {
    const client = clientOf({ aof_enabled: '0' }, { config: new Error("ERR unknown command 'config'") });
    const { findings, skipped } = await doctorRedis({ client });
    expect(findings).toEqual([]);
    expect(skipped).toEqual(["CONFIG GET: ERR unknown command 'config'"]);
  });

  it('finds a clock that differs', async () => {
    const later = Date.now() + 60_000;
    const { findings } = await doctorRedis({ client: clientOf({}), now: () => later });
    expect(findings).toMatchObject([{ code: 'redis-clock-differs', severity: 'info' }]);
  });
});
