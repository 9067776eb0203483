import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type ClaimAdmin, claimJson, type ClaimJson } from 'batchlatch/operations';
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
];

/** Streams the matching claims. If reading fails midway, the browser sees a broken download. */
export async function sendExport(
  response: ServerResponse,
  format: ExportFormat,
  filter: ClaimFilter,
  reading: { readonly store: ClaimAdmin; readonly now: () => number; readonly signal: AbortSignal },
): Promise<void> {
  const pages = eachPage(reading.store, filter, reading);
  // The first page is read before the headers are sent, so that its error gets a proper response.
  let page = await pages.next();
  const name = `claims-${new Date(reading.now()).toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`;
  response.writeHead(200, {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  try {
    let isFirst = true;
    await write(
      response,
      format === 'csv' ? csvLine(COLUMNS.map(([column]) => column)) : '[',
      reading.signal,
    );
    for (; page.done !== true; page = await pages.next()) {
      const claims = page.value.claims.map((claim) => claimJson(claim, reading.now()));
      if (format === 'csv') {
        await write(response, claims.map((claim) => csvLine(cellsOf(claim))).join(''), reading.signal);
      } else {
        const text = claims.map((claim) => `\n${toJson(claim)}`).join(',');
        await write(response, !isFirst && text !== '' ? `,${text}` : text, reading.signal);
      }
      isFirst &&= claims.length === 0;
    }
    response.end(format === 'csv' ? '' : '\n]\n');
  } catch {
    response.destroy();
  }
}

/** Writes, and waits for `drain` if the connection is full. */
async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (text !== '' && !response.write(text)) await once(response, 'drain', { signal });
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
