import type { JSX } from 'preact';
import type { Session } from '../api-types.ts';
import { overview } from '../api/live.ts';
import { session } from '../api/session.ts';
import { Link } from '../parts/link.tsx';
import { useAddress } from '../state/address.ts';
import { useStore } from '../state/store.ts';
import { numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { LiveState } from './live-state.tsx';
import { RowsSwitch } from './rows-switch.tsx';
import { RunningJobs } from './running-jobs.tsx';
import { SearchBox } from './search-box.tsx';
import { ShortcutsButton } from './shortcuts.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const LINKS = [
  { href: '/', text: 'Overview', paths: ['/'] },
  { href: '/claims', text: 'Claims', paths: ['/claims', '/claim'] },
  { href: '/dead-letters', text: 'Dead letters', paths: ['/dead-letters'] },
  { href: '/outbox', text: 'Outbox', paths: ['/outbox'] },
  { href: '/actions', text: 'Actions', paths: ['/actions'] },
] as const;

/** The header: the console's target, the pages, and the state of the connection. */
export function ShellHeader(): JSX.Element {
  const known = useStore(session);
  return (
    <header class="shell-header">
      <div class="shell-place">
        <span class="brand">batchlatch</span>
        {known !== undefined && (
          <>
            <span class="place" title="Where the claims are">
              {shown(known.place)}
            </span>
            <span class="mode" title={modeTitle(known)}>
              {known.allowChanges || known.role !== undefined ? shown(known.operator) : 'Read-only'}
              {known.role === 'read' && ' (read-only)'}
            </span>
          </>
        )}
      </div>
      <PageLinks />
      <SearchBox />
      <div class="shell-tools">
        <RunningJobs />
        <LiveState />
        <RowsSwitch />
        <ThemeSwitch />
        <ShortcutsButton />
      </div>
    </header>
  );
}

function modeTitle({ allowChanges, operator, role }: Session): string {
  if (allowChanges) return `Changes are made as ${operator}`;
  return role === undefined
    ? 'Start the console with --allow-changes to change claims and rows, and redrive messages'
    : 'Your role is `read`, which changes nothing';
}

function PageLinks(): JSX.Element {
  const { path } = useAddress();
  const told = useStore(overview);
  const hasOutbox = useStore(session)?.outbox !== undefined;
  const waiting: Readonly<Record<string, number>> = {
    '/claims': (told?.counts.overdue.count ?? 0) + (told?.counts.parked.count ?? 0),
    '/dead-letters': (told?.queues ?? []).reduce(
      (sum, { isDeadLetter, waiting = 0 }) => sum + (isDeadLetter ? waiting : 0),
      0,
    ),
    '/outbox': told?.outbox?.parked.count ?? 0,
  };
  return (
    <nav aria-label="Pages">
      <ul class="page-links">
        {LINKS.filter(({ href }) => href !== '/outbox' || hasOutbox).map(({ href, text, paths }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={paths.some((known) => known === path) ? ('page' as const) : undefined}
            >
              {text}
              <Waiting count={waiting[href] ?? 0} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Waiting({ count }: { readonly count: number }): JSX.Element | null {
  if (count === 0) return null;
  return (
    <span class="pill">
      {numberText(count)}
      <span class="visually-hidden"> waiting for a person</span>
    </span>
  );
}
