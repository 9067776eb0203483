import type { JSX } from 'preact';
import { session } from '../../api/session.ts';
import { type ClaimFilter, filterText, messageHref } from '../../filters/claim-filter.ts';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useStore } from '../../state/store.ts';
import { shown } from '../../text/shown.ts';

/** Says that nothing was found, and what to try. */
export function NoClaims({
  filter,
  isWhole,
}: {
  readonly filter: ClaimFilter;
  readonly isWhole: boolean;
}): JSX.Element {
  const isAll = filter.state === undefined && filter.q === '' && filter.narrow === undefined;
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
      {filter.q !== '' && <InQueues message={filter.q} />}
    </Notice>
  );
}

/** A message that no function has claimed may still be in a dead-letter queue. */
function InQueues({ message }: { readonly message: string }): JSX.Element {
  const queues = useStore(session)?.queues.filter(({ isDeadLetter }) => isDeadLetter) ?? [];
  return (
    <>
      {queues.map(({ name }) => (
        <p key={name}>
          <Link href={messageHref(name, message)}>Look for a message with this id in {shown(name)}</Link>
        </p>
      ))}
    </>
  );
}
