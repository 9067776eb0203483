import { type ClaimAdmin, claimJson, type ClaimJson, type ClaimPage } from 'batchlatch/operations';
import { type ClaimFilter, eachPage } from './claim-filter.ts';
import { exact, toJson } from './json.ts';

/** The formats of exports. */
export type ExportFormat = 'csv' | 'json';

const COLUMNS: readonly (readonly [name: string, value: (claim: ClaimJson) => unknown])[] = [
  ['key', ({ key }) => key],
  ['keyHash', ({ keyHash }) => keyHash],
  ['state', ({ state }) => state],
  ['parkedKind', ({ parkedKind }) => parkedKind],
  ['status', ({ status }) => status],
  ['attempt', ({ attempt }) => attempt],
  ['releases', ({ releases }) => releases],
  ['crashes', ({ crashes }) => crashes],
  ['createdAt', ({ createdAt }) => createdAt],
  ['claimedAt', ({ claimedAt }) => claimedAt],
  ['updatedAt', ({ updatedAt }) => updatedAt],
  ['completedAt', ({ completedAt }) => completedAt],
  ['leaseUntil', ({ leaseUntil }) => leaseUntil],
  ['expiresAt', ({ expiresAt }) => expiresAt],
  ['recordId', ({ recordId }) => recordId],
  ['lockedBy', ({ lockedBy }) => lockedBy],
  ['errorName', ({ error }) => error?.name],
  ['errorMessage', ({ error }) => error?.message],
  ['errorCode', ({ error }) => error?.code],
  ['hasResult', ({ hasResult }) => hasResult],
  ['type', ({ type }) => type],
];

/** A file to download. */
export class Download {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<string>;

  constructor(headers: Readonly<Record<string, string>>, chunks: AsyncIterable<string>) {
    this.headers = headers;
    this.chunks = chunks;
  }
}

/** Exports the matching claims. Reads the first page at once, so that its error gets a proper response. */
export async function exportClaims(
  format: ExportFormat,
  filter: ClaimFilter,
  reading: { readonly store: ClaimAdmin; readonly now: () => number; readonly signal: AbortSignal },
): Promise<Download> {
  const pages = eachPage(reading.store, filter, reading);
  const first = await pages.next();
  const name = `claims-${new Date(reading.now()).toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`;
  return new Download(
    {
      'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
    },
    chunksOf(format, first, pages, reading.now),
  );
}

async function* chunksOf(
  format: ExportFormat,
  first: IteratorResult<ClaimPage>,
  pages: AsyncGenerator<ClaimPage>,
  now: () => number,
): AsyncGenerator<string> {
  yield format === 'csv' ? csvLine(COLUMNS.map(([column]) => column)) : '[';
  let isFirst = true;
  for (let page = first; page.done !== true; page = await pages.next()) {
    const claims = page.value.claims.map((claim) => claimJson(claim, now()));
    if (format === 'csv') yield claims.map((claim) => csvLine(cellsOf(claim))).join('');
    else {
      const text = claims.map((claim) => `\n${toJson(claim)}`).join(',');
      yield !isFirst && text !== '' ? `,${text}` : text;
    }
    isFirst &&= claims.length === 0;
  }
  if (format === 'json') yield '\n]\n';
}

function cellsOf(claim: ClaimJson): readonly unknown[] {
  return COLUMNS.map(([, value]) => value(claim));
}

/** Returns a line of CSV (RFC 4180). */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Spreadsheets treat texts that begin with these as formulas; a leading apostrophe prevents it. */
const FORMULA = /^[=+\-@\t\r\n]/;

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = String(exact(value));
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
