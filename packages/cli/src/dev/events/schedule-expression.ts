import { Cron } from 'croner';
import { ConfigurationError } from '../../tool-base/errors.ts';
import type { ScheduleTrigger } from '../stack.ts';

/** Returns the next run strictly after a time, both in epoch milliseconds; undefined if there is none. */
export type NextRun = (afterMs: number) => number | undefined;

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Parses `rate(5 minutes)`, `cron(0 9 ? * MON-FRI *)` or `at(2026-01-02T03:04:05)`, else throws a
 * `ConfigurationError`. A rate first runs one interval after `startMs`. The others use `timeZone`.
 */
export function readSchedule(
  { expression, service, timeZone = 'UTC' }: Pick<ScheduleTrigger, 'expression' | 'service' | 'timeZone'>,
  startMs: number,
): NextRun {
  const [, kind = '', argument = ''] = /^(rate|cron|at)\((.*)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') return rate(expression, argument.trim(), { service, startMs });
  if (kind === 'cron') return cron(expression, argument.trim(), timeZone);
  if (kind === 'at') return at(expression, argument.trim(), timeZone);
  throw refused(expression, 'it must be rate(…), cron(…) or at(…)');
}

function rate(
  expression: string,
  argument: string,
  { service, startMs }: { service: ScheduleTrigger['service']; startMs: number },
): NextRun {
  const [, value = '', unit = '', plural = ''] = /^(\d+)\s+(minute|hour|day)(s?)$/.exec(argument) ?? [];
  const count = Number(value);
  if (count < 1) throw refused(expression, 'it must be a number from 1 and minutes, hours or days');
  // EventBridge Scheduler also accepts `5 minute`.
  if (service === 'events' && (count === 1) !== (plural === '')) {
    throw refused(expression, `its unit must be \`${unit}${count === 1 ? '' : 's'}\``);
  }
  const intervalMs = count * (UNIT_MS[unit] ?? 0);
  return (afterMs) => startMs + (Math.floor(Math.max(afterMs - startMs, 0) / intervalMs) + 1) * intervalMs;
}

function at(expression: string, argument: string, timeZone: string): NextRun {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(argument)) {
    throw refused(expression, 'it must be a time such as at(2026-01-02T03:04:05)');
  }
  return nextOf(expression, argument, timeZone);
}

const MOST: readonly number[] = [59, 23, 31, 12, 7, 2199];
const [DAY_OF_MONTH, DAY_OF_WEEK] = [2, 4];
const SATURDAY = '7';

/** Translates AWS's six fields to croner's seven: adds seconds, ends steps, and maps `L` to Saturday. */
function cron(expression: string, argument: string, timeZone: string): NextRun {
  const fields = argument.split(/\s+/);
  if (fields.length !== MOST.length) {
    throw refused(
      expression,
      'it must have six fields: minutes, hours, day of month, month, day of week, year',
    );
  }
  const anyDays = [fields[DAY_OF_MONTH], fields[DAY_OF_WEEK]].filter((field) => field === '?').length;
  if (anyDays !== 1)
    throw refused(expression, 'one of day of month and day of week must be `?`, and not both');
  // croner accepts a day 0, and a day 8 because Sunday is 1.
  if (/(^|[,-])[089]/.test(fields[DAY_OF_WEEK] ?? '')) {
    throw refused(expression, 'a day of the week is a number from 1, which is Sunday, to 7, or SUN to SAT');
  }
  const translated = fields.map((field, index) => {
    const last = index === DAY_OF_WEEK && field === 'L' ? SATURDAY : field;
    return last.replaceAll(/(^|,)(\w+)\/(\d+)/g, `$1$2-${MOST[index]}/$3`);
  });
  return nextOf(expression, `0 ${translated.join(' ')}`, timeZone);
}

function nextOf(expression: string, pattern: string, timeZone: string): NextRun {
  try {
    const job = new Cron(pattern, { timezone: timeZone, paused: true, alternativeWeekdays: true });
    // croner checks the time zone only here.
    job.nextRun(new Date(0));
    return (afterMs) => job.nextRun(new Date(afterMs))?.getTime();
  } catch (error) {
    throw refused(expression, error instanceof Error ? error.message : 'it cannot be read');
  }
}

function refused(expression: string, why: string): ConfigurationError {
  return new ConfigurationError(`The schedule \`${expression}\` is refused: ${why}.`);
}
