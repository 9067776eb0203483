import { claimJson, type ClaimPage, listClaims, stateOf } from 'batchlatch/operations';
import type { TableOptions } from '../arguments/common-options.ts';
import { assertParked, selectionText, type StateSelection, stateQuery } from './state-selection.ts';
import { type Claims, withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural } from '../print/plural.ts';
import { watch } from '../watch.ts';
import { claimTable } from './claim-cells.ts';
import { narrowed, type NarrowSelection } from './narrow-selection.ts';
import { collect, type Collected, costText, type ReadPage, tellNewer } from './collect.ts';

interface ListOptions extends TableOptions, StateSelection, NarrowSelection {
  readonly prefix?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: boolean;
  readonly watch?: number;
}

interface Snapshot extends Collected {
  /** When it was read; epoch milliseconds. */
  readonly at: number;
}

/** `claims list` */
export const listCommand: Run<ListOptions> = (context, options) => {
  assertParked(options);
  return withClaims(context, options, async (claims) => {
    const read = async (): Promise<Snapshot> => ({
      ...(await readList(claims, options, context)),
      at: context.now(),
    });
    const toJson = ({ at: _at, ...found }: Snapshot): unknown => listJson(found, context);
    if (options.watch !== undefined) {
      return watch(context, options.watch, {
        title: `Claims of ${claims.place}`,
        read,
        show: (found) => show(found, claims, options, context),
        toJson,
        changes: changedClaims,
      });
    }
    const found = await read();
    if (context.screen.isJson) context.screen.json(toJson(found));
    else show(found, claims, options, context);
    return 0;
  });
};

function listJson({ claims, next, ...reading }: Collected, { now }: Pick<Context, 'now'>): unknown {
  return { claims: claims.map((claim) => claimJson(claim, now())), next: next ?? null, ...reading };
}

/** The rows of one request that looks for few among many. */
const PAGE = 1_000;

function readList(
  { store }: Claims,
  options: ListOptions,
  { signal, screen, now }: Context,
): Promise<Collected> {
  const { prefix, limit, cursor, all } = options;
  const query = {
    ...stateQuery(options),
    ...(prefix !== undefined && { keyPrefix: prefix }),
  };
  const narrow = narrowed(options, now);
  const read: ReadPage = (page) => listClaims(store, { ...query, ...page }, { signal });
  return collect(
    narrow === undefined ? read : narrowedPages(read, narrow),
    all === true ? Number.POSITIVE_INFINITY : limit,
    { screen, from: cursor },
  );
}

/**
 * Reads long pages while few of their claims match. Where more match than are wanted, it reads shorter pages
 * instead: the next page begins where a page ends, so a page may not hold a match too many.
 */
function narrowedPages(read: ReadPage, narrow: (page: ClaimPage) => ClaimPage): ReadPage {
  let isDense = false;
  return async (page) => {
    const long = isDense ? undefined : narrow(await read({ ...page, limit: PAGE }));
    if (long !== undefined && long.claims.length <= page.limit) return long;
    isDense = true;
    const short = narrow(await read(page));
    const readUnits = (long?.readUnits ?? 0) + (short.readUnits ?? 0);
    return {
      ...short,
      rowsRead: (long?.rowsRead ?? 0) + short.rowsRead,
      ...(readUnits > 0 && { readUnits }),
    };
  };
}

function show(found: Collected, { place, rowsOf }: Claims, options: ListOptions, context: Context): void {
  const { screen } = context;
  const { claims, next } = found;
  if (claims.length > 0) {
    const { columns, rows } = claimTable(claims, context);
    screen.table(columns, rows);
  }
  tellNewer(found.newer, screen);
  const what = `${selectionText(options)}claim`;
  const total = claims.length === 0 ? `No ${what}s` : plural(claims.length, what);
  screen.note(`${total} in ${place}. ${costText(found, { rowsOf })}`);
  if (next !== undefined) screen.note(`There may be more: add --all, or --cursor ${next}`);
}

/** Returns a line for each change, for output that is not a terminal. */
function changedClaims(before: Snapshot | undefined, after: Snapshot): string[] {
  const gone = new Map(before?.claims.map((claim) => [claim.key, claim]));
  const lines: string[] = [];
  for (const claim of after.claims) {
    const earlier = gone.get(claim.key);
    gone.delete(claim.key);
    const state = stateOf(claim, after.at);
    // When a lease lapses, the state changes but the row does not.
    const wasSo = earlier !== undefined && stateOf(earlier, before?.at ?? 0) === state;
    if (wasSo && earlier.owner === claim.owner) continue;
    lines.push(`${state} ${escapeControls(claim.key)} attempt ${claim.attempt}`);
  }
  return [...lines, ...[...gone.keys()].map((key) => `gone ${escapeControls(key)}`)];
}
