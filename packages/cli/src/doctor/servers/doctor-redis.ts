import { checkRedis, type RedisClient, type RedisPrimary, redisPrimaries } from 'batchlatch/redis';
import type { DoctorReport } from '../finding.ts';
import { ServerReport } from './server-report.ts';

/** The server to check. */
export interface RedisTarget {
  readonly client: RedisClient;
  /** Default: `Date.now`. */
  readonly now?: () => number;
}

const MOST_AHEAD_MS = 5_000;
const MOST_LAG_SECONDS = 10;
const MOST_LAG_BYTES = 1_000_000;
const OLDEST_VERSION = 6;
const FULL = 0.9;

type Info = ReadonlyMap<string, string>;

/**
 * Finds settings of Redis or Valkey that do not suit claims, on each primary of a cluster. Writes nothing.
 * Lists in `skipped` what the user may not query. Rejects if no server answers.
 */
export async function doctorRedis({ client, now = Date.now }: RedisTarget): Promise<DoctorReport> {
  const report = new ServerReport('Redis');
  const primaries = await redisPrimaries(client);
  const { problems } = await checkRedis(client);
  for (const { message } of problems) report.report('redis-eviction', { message });
  const checked: string[] = [];
  for (const [index, primary] of primaries.entries()) {
    const name = primaries.length === 1 ? 'The server' : `Primary ${index + 1}`;
    const before = now();
    const time = await answerOf(primary, ['time'], report);
    if (Array.isArray(time)) {
      const [seconds, micros] = time.map(Number);
      const serverMs = (seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000;
      judgeClock(name, serverMs - (before + now()) / 2, report);
    }
    const text = await answerOf(primary, ['info'], report);
    const info = infoIn(text);
    judgeServer(name, info, report);
    judgeReplicas(name, info, report);
    await judgePersistence(name, primary, info, report);
    await judgeScripts(name, primary, report);
    checked.push(`${info.has('valkey_version') ? 'Valkey' : 'Redis'} ${versionOf(info)}`);
  }
  return report.result(checked);
}

function judgeClock(name: string, aheadMs: number, report: ServerReport): void {
  if (Math.abs(aheadMs) <= MOST_AHEAD_MS) return;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  report.report('redis-clock-differs', {
    message: `${name}'s clock is ${seconds} s ${where} this machine's.`,
  });
}

function judgeServer(name: string, info: Info, report: ServerReport): void {
  const version = versionOf(info);
  if (Number.parseInt(version, 10) < OLDEST_VERSION) {
    report.report('redis-old', { message: `${name} is Redis ${version}.` });
  }
  if (info.get('role') === 'slave') {
    report.report('redis-replica', { message: `${name} is a replica of another.` });
  }
  const used = Number(info.get('used_memory') ?? 0);
  const most = Number(info.get('maxmemory') ?? 0);
  if (most > 0 && used > most * FULL) {
    report.report('redis-memory-full', {
      message: `${name} uses ${Math.round((100 * used) / most)} % of its memory.`,
    });
  }
}

function judgeReplicas(name: string, info: Info, report: ServerReport): void {
  if (info.get('role') !== 'master') return;
  const offset = Number(info.get('master_repl_offset') ?? 0);
  const replicas = [...info]
    .filter(([field]) => /^slave\d+$/.test(field))
    .map(([, value]) => fieldsIn(value));
  if (replicas.length === 0) {
    report.report('redis-no-replica', { message: `${name} has no replica.` });
  }
  for (const [index, replica] of replicas.entries()) {
    const behind = offset - Number(replica.get('offset') ?? 0);
    const lag = Number(replica.get('lag') ?? 0);
    const state = replica.get('state') ?? 'online';
    if (state === 'online' && lag <= MOST_LAG_SECONDS && behind <= MOST_LAG_BYTES) continue;
    report.report('redis-replica-lag', {
      message: `Replica ${index + 1} of ${replicas.length} is ${state}, ${lag} s and ${behind} bytes behind.`,
    });
  }
}

async function judgePersistence(
  name: string,
  primary: RedisPrimary,
  info: Info,
  report: ServerReport,
): Promise<void> {
  const failing = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'].filter(
    (field) => (info.get(field) ?? 'ok') !== 'ok',
  );
  if (failing.length > 0) {
    report.report('redis-persistence-failing', {
      message: `${name} reports an error in ${failing.join(', ')}.`,
    });
  }
  if (info.get('aof_enabled') !== '0') return;
  const save = await answerOf(primary, ['config', 'get', 'save'], report);
  if (!Array.isArray(save)) return;
  const hasSnapshots = String(save[1] ?? '') !== '';
  report.report('redis-not-persistent', {
    ...(hasSnapshots && { severity: 'info' }),
    message: hasSnapshots
      ? `${name} has snapshots (save ${String(save[1])}) and no append-only ` +
        'file: a restart forgets the claims since the last.'
      : `${name} keeps its data in memory alone.`,
  });
}

async function judgeScripts(name: string, primary: RedisPrimary, report: ServerReport): Promise<void> {
  try {
    await primary.send(['eval', 'return 1', '0']);
  } catch (error) {
    const { message } = error as Error;
    if (/NOPERM/.test(message)) {
      report.report('redis-scripts-refused', { message: `${name} refuses scripts: ${message}` });
    } else report.cannotJudge(`${name}, scripts: ${message}`);
  }
}

/** Returns a command's reply; if an ACL or a managed server refuses it, adds a note and returns undefined. */
async function answerOf(primary: RedisPrimary, command: string[], report: ServerReport): Promise<unknown> {
  try {
    return await primary.send(command);
  } catch (error) {
    report.cannotJudge(`${command.slice(0, 2).join(' ').toUpperCase()}: ${(error as Error).message}`);
    return undefined;
  }
}

function versionOf(info: Info): string {
  return info.get('valkey_version') ?? info.get('redis_version') ?? 'of an unknown version';
}

/** Parses the fields of all sections of INFO. The reply may be a buffer. */
function infoIn(answer: unknown): Info {
  const fields = String(answer).matchAll(/^([^:\r\n]+):(.*?)\r?$/gm);
  return new Map([...fields].map(([, field = '', value = '']) => [field, value]));
}

/** Parses `ip=…,port=…,state=online,offset=…,lag=0`. */
function fieldsIn(text: string): Info {
  return new Map(text.split(',').map((field) => field.split('=', 2) as [string, string]));
}
