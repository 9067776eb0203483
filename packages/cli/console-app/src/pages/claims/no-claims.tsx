import type { JSX } from 'preact';
import { type ClaimFilter, filterText } from '../../filters/claim-filter.ts';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { shown } from '../../text/shown.ts';

/** Says that nothing was found, and what to try. */
export function NoClaims({
  filter,
  isWhole,
}: {
  readonly filter: ClaimFilter;
  readonly isWhole: boolean;
}): JSX.Element {
  const isAll = filter.state === undefined && filter.q === '';
  if (!isWhole) {
    return (
      <Notice title="None in the rows that were read so far.">
        <p>Read on to look in more rows, or narrow the search to the beginning of a key.</p>
      </Notice>
    );
  }
  return (
    <Notice title={isAll ? 'There are no claims yet.' : `No claims: ${shown(filterText(filter))}`}>
      {isAll ? (
        <p>They appear when a function processes its first message.</p>
      ) : (
        <p>
          <Link href="/claims">Show all claims</Link>
        </p>
      )}
    </Notice>
  );
}
