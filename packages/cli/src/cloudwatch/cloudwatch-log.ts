import type { ReadLog } from '../console/waterfall/read-waterfall.ts';
import { askCloudWatch, type CloudWatchPlace } from './ask-cloudwatch.ts';

/** The pages of one search: most of a log does not match, and each page reads a part of it. */
const MOST_PAGES = 20;

/**
 * Returns a reader of the functions' logs in CloudWatch. `logGroup` replaces the group that Lambda gives each
 * function.
 */
export function cloudWatchLog(place: CloudWatchPlace, logGroup: string | undefined): ReadLog {
  return async ({ text, functionName, from, until }, signal) => {
    // It is part of a pattern, and may come from a log line.
    if (!/^[\w:.-]{1,128}$/.test(text)) return [];
    const search = { logGroup: logGroup ?? groupOf(functionName), pattern: `"${text}"`, from, until };
    return filterLog(place, search, signal);
  };
}

/** A search in one log group. */
interface LogFilter {
  readonly logGroup: string;
  /** A filter pattern of CloudWatch Logs. */
  readonly pattern: string;
  /** In epoch milliseconds. */
  readonly from: number;
  /** In epoch milliseconds. */
  readonly until: number;
}

/** Returns the lines that match, oldest first; those of the first pages, if there are many. */
export async function filterLog(
  place: CloudWatchPlace,
  { logGroup, pattern, from, until }: LogFilter,
  signal: AbortSignal,
  mostPages = MOST_PAGES,
): Promise<readonly string[]> {
  const input = {
    logGroupName: logGroup,
    filterPattern: pattern,
    startTime: Math.floor(from),
    endTime: Math.ceil(until),
  };
  const lines: string[] = [];
  let nextToken: unknown;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await askCloudWatch(
      place,
      ['logs', 'FilterLogEvents'],
      { ...input, ...(nextToken !== undefined && { nextToken }) },
      signal,
    );
    lines.push(...messagesIn(answer['events']));
    nextToken = answer['nextToken'];
    if (nextToken === undefined) break;
  }
  return lines;
}

function groupOf(functionName: string | undefined): string {
  if (functionName !== undefined && /^[\w-]{1,64}$/.test(functionName)) return `/aws/lambda/${functionName}`;
  throw new Error('The claim does not name its function: name its log group with --log-group.');
}

function messagesIn(events: unknown): string[] {
  return (Array.isArray(events) ? (events as unknown[]) : []).flatMap((event) => {
    const { message } = (event ?? {}) as { readonly message?: unknown };
    return typeof message === 'string' ? [message] : [];
  });
}
