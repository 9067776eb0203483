import type { JSX } from 'preact';
import { type ClaimFilter, hrefOf } from '../../filters/claim-filter.ts';
import { type Narrow, narrowText, PAST_NAME } from '../../filters/narrow.ts';
import { Link } from '../../parts/link.tsx';
import { shown } from '../../text/shown.ts';

/** Links to completed claims with a past that a person may look for. They keep the search. */
export function PastTabs({ filter }: { readonly filter: ClaimFilter }): JSX.Element | null {
  const { narrow = {}, ...rest } = filter;
  const { past: current, ...others } = narrow;
  if (filter.state !== 'completed') return null;
  const of = (past: NonNullable<Narrow['past']>): string => hrefOf({ ...rest, narrow: { ...others, past } });
  return (
    <nav aria-label="Past">
      <ul class="tabs">
        <li>
          <Link
            href={hrefOf({ ...rest, narrow: others })}
            aria-current={current === undefined ? ('true' as const) : undefined}
          >
            Any past
          </Link>
        </li>
        {Object.entries(PAST_NAME).map(([past, name]) => (
          <li key={past}>
            <Link
              href={of(past as keyof typeof PAST_NAME)}
              aria-current={current === past ? ('true' as const) : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Says which claims alone are shown, where the tabs and the search do not. */
export function Narrowed({ filter }: { readonly filter: ClaimFilter }): JSX.Element | null {
  const { narrow = {}, ...rest } = filter;
  const { past, ...others } = narrow;
  const shownHere = filter.state === 'completed' ? others : narrow;
  const text = narrowText(shownHere);
  if (text === '') return null;
  const without = filter.state === 'completed' && past !== undefined ? { ...rest, narrow: { past } } : rest;
  return (
    <p class="narrowed">
      Only claims with: <b>{shown(text)}</b> <Link href={hrefOf(without)}>Show all</Link>
    </p>
  );
}
