import { listClaims, stateOf } from 'batchlatch/operations';
import { ErrorTally } from '../../console/error-tally.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import type { Claims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import { formatNumber } from '../print/plural.ts';
import { costText, readPages, tellNewer } from './collect.ts';

/** Counts failed and parked claims by the names of their errors, and prints the counts. */
export async function showByError(
  claims: Claims,
  { prefix, limit }: { readonly prefix?: string; readonly limit: number },
  context: Context,
): Promise<void> {
  const { screen, signal, now } = context;
  const query = prefix === undefined ? {} : { keyPrefix: prefix };
  const tally = new ErrorTally();
  let counted = 0;
  const reading = await readPages(
    (page) => listClaims(claims.store, { ...query, ...page }, { signal }),
    limit,
    context,
    (page) => {
      for (const claim of page) tally.add(claim, stateOf(claim, now()));
      return (counted += page.length);
    },
  );
  const isWhole = reading.next === undefined;
  const errors = tally.result();
  if (screen.isJson) {
    screen.json({ errors, claims: counted, isWhole, ...reading, next: reading.next ?? null });
    return;
  }
  if (errors.length > 0) {
    screen.table(
      [
        { heading: 'ERROR' },
        { heading: 'PARKED', isRight: true },
        { heading: 'FAILED', isRight: true },
        { heading: 'LATEST' },
        { heading: 'MESSAGE' },
      ],
      errors.map(({ name, parked, failed, latestAt, message }) => [
        escapeControls(name),
        formatNumber(parked),
        formatNumber(failed),
        latestAt === undefined ? '?' : screen.time(Date.parse(latestAt)),
        escapeControls(message),
      ]),
    );
  } else screen.note('No claim is failed or parked with an error.');
  tellNewer(reading.newer, screen);
  screen.note(costText(reading, claims) + (isWhole ? '' : ' There are more: raise --limit.'));
}
