import type { Claim, ClaimPage, NewerRow } from 'batchlatch/operations';
import type { Claims } from '../connect/claims.ts';
import type { Screen } from '../print/screen.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';

/** The claims of all pages that were read, and the cost of reading them. */
export interface Collected extends Omit<ClaimPage, 'claims'> {
  readonly claims: readonly Claim[];
}

/** The most claims of one page. */
const PAGE = 1_000;

/** Reads a page of at most `limit` claims. */
export type ReadPage = (page: { readonly limit: number; readonly cursor?: string }) => Promise<ClaimPage>;

interface How {
  readonly screen: Screen;
  /** Where the list before ended. */
  readonly from?: string | undefined;
}

/** Reads pages until it has `most` claims or no next page. */
export async function collect(read: ReadPage, most: number, how: How): Promise<Collected> {
  // A claim that changes meanwhile may be listed twice, and Redis may list any claim twice.
  const byKey = new Map<string, Claim>();
  const reading = await readPages(read, most, how, (claims) => {
    for (const claim of claims) byKey.set(claim.key, claim);
    return byKey.size;
  });
  return { claims: [...byKey.values()], ...reading };
}

/**
 * Passes pages to `take`, which returns how many claims it has, until it has `most` or there is no next page:
 * a page with few claims may not be the last.
 */
export async function readPages(
  read: ReadPage,
  most: number,
  { screen, from }: How,
  take: (claims: readonly Claim[]) => number,
): Promise<Omit<Collected, 'claims'>> {
  let taken = 0;
  let readBy: ClaimPage['readBy'] = 'scan';
  let missingIndex: string | undefined;
  let [rowsRead, readUnits, unreadable] = [0, 0, 0];
  const newer = new Map<string, NewerRow>();
  let cursor = from;
  do {
    const page = await read({
      limit: Math.min(PAGE, most - taken),
      ...(cursor !== undefined && { cursor }),
    });
    taken = take(page.claims);
    readBy = page.readBy;
    missingIndex = page.missingIndex;
    rowsRead += page.rowsRead;
    readUnits += page.readUnits ?? 0;
    unreadable += page.unreadable ?? 0;
    for (const row of page.newer ?? []) newer.set(row.key, row);
    cursor = page.next;
    screen.progress(`${plural(rowsRead, 'row')} read …`);
  } while (cursor !== undefined && taken < most);
  screen.progress(undefined);
  return {
    readBy,
    ...(missingIndex !== undefined && { missingIndex }),
    rowsRead,
    ...(readUnits > 0 && { readUnits }),
    ...(unreadable > 0 && { unreadable }),
    ...(newer.size > 0 && { newer: [...newer.values()] }),
    ...(cursor !== undefined && { next: cursor }),
  };
}

/** Returns the cost of reading as text, such as `Read 1,204 rows of the table (151 read units).` */
export function costText(
  { readBy, missingIndex, rowsRead, readUnits, unreadable }: Omit<Collected, 'claims'>,
  { rowsOf }: Pick<Claims, 'rowsOf'>,
): string {
  const units = readUnits === undefined ? '' : ` (${plural(readUnits, 'read unit')})`;
  const what = readBy === 'index' ? 'of the index of overdue claims' : `of ${rowsOf}`;
  const others =
    unreadable === undefined
      ? ''
      : ` ${formatNumber(unreadable)} of them ${unreadable === 1 ? 'is not a claim' : 'are not claims'}.`;
  const advice =
    missingIndex === undefined
      ? ''
      : ` The table has no index \`${missingIndex}\` to find them by: \`batchlatch table create\` adds it.`;
  return `Read ${plural(rowsRead, 'row')} ${what}${units}.${others}${advice}`;
}

const MOST_NEWER_SHOWN = 20;

/** Prints the keys of rows that a newer version wrote. */
export function tellNewer(newer: readonly NewerRow[] | undefined, screen: Screen): void {
  if (newer === undefined) return;
  for (const { key, format, version } of newer.slice(0, MOST_NEWER_SHOWN)) {
    const reader = version === undefined ? 'a newer version' : `version ${version} or later`;
    screen.note(
      `Not read: ${escapeControls(key)}: a row of format ${format}, which ${reader} of batchlatch reads.`,
    );
  }
  const more = newer.length - MOST_NEWER_SHOWN;
  if (more > 0) screen.note(`… and ${plural(more, 'more row')} of a newer format.`);
}
