import {
  claimJson,
  claimStatistics,
  type ClaimStatistics,
  type Distribution,
  type StatisticsPeriod,
} from 'batchlatch/operations';
import { isoTime } from '../../tool-base/iso-time.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { clockOf } from '../clock.ts';
import { type Claims, withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { duration } from '../print/times.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';
import { watch } from '../watch.ts';
import { showByError } from './claims-by-error.ts';
import { costText, tellNewer } from './collect.ts';

interface StatsOptions extends TableOptions {
  readonly prefix?: string;
  readonly limit: number;
  readonly by?: keyof typeof PERIOD_MS | 'error';
  readonly watch?: number;
}

const PERIOD_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** `claims stats` */
export const statsCommand: Run<StatsOptions> = (context, options) =>
  withClaims(context, options, async (claims) => {
    if (options.by === 'error') {
      if (options.watch !== undefined)
        throw new UsageError('--watch does not go with --by error: leave one of them out.');
      await showByError(claims, options, context);
      return 0;
    }
    const read = (): Promise<ClaimStatistics> => readStatistics(claims, options, context);
    const toJson = (statistics: ClaimStatistics): unknown => statisticsJson(statistics, context);
    if (options.watch !== undefined) {
      return watch(context, options.watch, {
        title: `Claims of ${claims.place}`,
        read,
        show: (statistics) => show(statistics, claims, context),
        toJson,
        changes: changedCounts,
      });
    }
    const statistics = await read();
    if (context.screen.isJson) context.screen.json(toJson(statistics));
    else show(statistics, claims, context);
    return 0;
  });

async function readStatistics(
  { store }: Claims,
  { prefix, limit, by }: StatsOptions,
  context: Context,
): Promise<ClaimStatistics> {
  const { screen, signal } = context;
  try {
    return await claimStatistics(store, {
      limit,
      signal,
      clock: clockOf(context),
      onProgress: ({ rowsRead }) => screen.progress(`${plural(rowsRead, 'row')} read …`),
      ...(prefix !== undefined && { keyPrefix: prefix }),
      ...(by !== undefined && by !== 'error' && { periodMs: PERIOD_MS[by] }),
    });
  } finally {
    screen.progress(undefined);
  }
}

function statisticsJson(
  { oldestOverdue, next, periods, ...statistics }: ClaimStatistics,
  { now }: Pick<Context, 'now'>,
): unknown {
  return {
    ...statistics,
    ...(periods !== undefined && {
      periods: periods.map(({ from, ...period }) => ({ from: isoTime(from) ?? null, ...period })),
    }),
    oldestOverdue: oldestOverdue === undefined ? null : claimJson(oldestOverdue, now()),
    next: next ?? null,
  };
}

function show(statistics: ClaimStatistics, claims: Pick<Claims, 'rowsOf'>, context: Context): void {
  const { screen } = context;
  const { counts, parkedKinds, oldestOverdue, waitingMs, runningMs, attempts, periods, isWhole } = statistics;
  screen.table(
    [{ heading: 'STATE' }, { heading: 'CLAIMS', isRight: true }],
    Object.entries(counts).flatMap(([state, amount]) => [
      [state, formatNumber(amount)],
      ...(state === 'parked' && amount > 0 ? kindRows(parkedKinds) : []),
    ]),
  );
  const rows = [
    distributionCells('waited', waitingMs, duration),
    distributionCells('ran', runningMs, duration),
    distributionCells('attempts', attempts, formatNumber),
  ].filter((row) => row !== undefined);
  if (rows.length > 0) {
    screen.line();
    screen.table(
      ['', 'CLAIMS', 'MIN', 'MEDIAN', 'P95', 'MAX'].map((heading, index) => ({
        heading,
        isRight: index > 0,
      })),
      rows,
    );
  }
  if (periods !== undefined && periods.length > 0) showPeriods(periods, context);
  if (oldestOverdue !== undefined) {
    screen.line();
    screen.line(
      `Oldest overdue claim: ${escapeControls(oldestOverdue.key)}, its ` +
        `lease ended ${screen.time(oldestOverdue.leaseUntil)}.`,
    );
  }
  tellNewer(statistics.newer, screen);
  screen.note(
    costText({ readBy: 'scan', ...statistics }, claims) + (isWhole ? '' : ' There are more: raise --limit.'),
  );
}

/** Returns a row for each kind of which there are parked claims. */
function kindRows(kinds: ClaimStatistics['parkedKinds']): string[][] {
  return Object.entries(kinds)
    .filter(([, amount]) => amount > 0)
    .map(([kind, amount]) => [`  (${kind})`, formatNumber(amount)]);
}

/** Shows the periods in UTC, as in log lines. They cover only claims that are still kept. */
function showPeriods(periods: readonly StatisticsPeriod[], { screen }: Context): void {
  screen.line();
  screen.table(
    ['FROM', 'COMPLETED', 'FAILED', 'PARKED', 'RAN, MEDIAN', 'RAN, P95'].map((heading, index) => ({
      heading,
      isRight: index > 0,
    })),
    periods.map(({ from, completed, failed, parked, runningMs }) => [
      `${isoTime(from)?.slice(0, 16) ?? '?'}Z`,
      ...[completed, failed, parked].map(formatNumber),
      runningMs === undefined ? '' : duration(runningMs.median),
      runningMs === undefined ? '' : duration(runningMs.p95),
    ]),
  );
}

function distributionCells(
  name: string,
  distribution: Distribution | undefined,
  text: (value: number) => string,
): string[] | undefined {
  if (distribution === undefined) return undefined;
  const { count: claims, min, median, p95, max } = distribution;
  return [name, formatNumber(claims), text(min), text(median), text(p95), text(max)];
}

function changedCounts(before: ClaimStatistics | undefined, { counts }: ClaimStatistics): string[] {
  return Object.entries(counts)
    .filter(([state, amount]) => before?.counts[state as keyof typeof counts] !== amount)
    .map(([state, amount]) => `${state} ${amount}`);
}
