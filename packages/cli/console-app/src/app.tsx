import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { connection, overview } from './api/live.ts';
import { sessionError } from './api/session.ts';
import { ActionsPage } from './pages/actions-page.tsx';
import { ClaimPage } from './pages/claim-page.tsx';
import { ClaimsPage } from './pages/claims-page.tsx';
import { DeadLettersPage } from './pages/dead-letters-page.tsx';
import { OutboxPage } from './pages/outbox-page.tsx';
import { OverviewPage } from './pages/overview-page.tsx';
import { SignedOut } from './pages/signed-out.tsx';
import { ErrorNotice, Notice } from './parts/notice.tsx';
import { Link } from './parts/link.tsx';
import { Toasts } from './parts/toasts.tsx';
import { useAddress } from './state/address.ts';
import { useStore } from './state/store.ts';
import { shown } from './text/shown.ts';
import { ShellHeader } from './shell/shell-header.tsx';
import { RowsDialog } from './outbox/rows-dialog.tsx';
import { RedriveDialog } from './redrive/redrive-dialog.tsx';
import { SendDialog } from './send/send-dialog.tsx';
import { Shortcuts } from './shell/shortcuts.tsx';
import { ChangeDialog } from './changes/change-dialog.tsx';
import { readSession } from './api/session.ts';

const PAGES: Readonly<Record<string, { readonly title: string; readonly Page: () => JSX.Element }>> = {
  '/': { title: 'Overview', Page: OverviewPage },
  '/claims': { title: 'Claims', Page: ClaimsPage },
  '/claim': { title: 'Claim', Page: ClaimPage },
  '/dead-letters': { title: 'Dead letters', Page: DeadLettersPage },
  '/outbox': { title: 'Outbox', Page: OutboxPage },
  '/actions': { title: 'Actions', Page: ActionsPage },
};

/** The whole console. */
export function App(): JSX.Element {
  const { path } = useAddress();
  const page = PAGES[path];
  const error = useStore(sessionError);
  const isSignedOut = useStore(connection) === 'signed-out';
  useTitle(page?.title ?? 'Not found');
  const main = useFocusAfterNavigation(path);
  if (isSignedOut) return <SignedOut />;
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <ShellHeader />
      <main id="main" ref={main} tabIndex={-1}>
        {path !== '/' && <StoreOutage />}
        {error !== undefined && <ErrorNotice error={error} again={() => void readSession()} />}
        {page === undefined ? <NotFound /> : <page.Page />}
      </main>
      <ChangeDialog />
      <RedriveDialog />
      <RowsDialog />
      <SendDialog />
      <Toasts />
      <Shortcuts />
    </>
  );
}

/** On every page but the overview, which says it beside its numbers. */
function StoreOutage(): JSX.Element | null {
  const storeError = useStore(overview)?.storeError;
  if (storeError === undefined) return null;
  return (
    <p class="warning" role="alert">
      The store could not be read: {shown(storeError)} The console tries again by itself.
    </p>
  );
}

function NotFound(): JSX.Element {
  return (
    <Notice title="There is no such page.">
      <p>
        <Link href="/">Go to the overview</Link>
      </p>
    </Notice>
  );
}

/** How many claims and rows wait for a person is in the title, for a tab that nobody looks at. */
function useTitle(page: string): void {
  const { counts, outbox } = useStore(overview) ?? {};
  const claims = (counts?.overdue.count ?? 0) + (counts?.parked.count ?? 0);
  const waiting = claims + (outbox?.parked.count ?? 0);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page} · batchlatch console`;
  }, [waiting, page]);
}

/** A screen reader goes on at the new page, as it would after a click on a plain link. */
function useFocusAfterNavigation(path: string): { current: HTMLElement | null } {
  const main = useRef<HTMLElement>(null);
  const pathBefore = useRef(path);
  useEffect(() => {
    if (pathBefore.current === path) return;
    pathBefore.current = path;
    // A field of the new page may have it already.
    if (main.current?.contains(document.activeElement) !== true) main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
