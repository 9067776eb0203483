import type { JSX } from 'preact';
import { session } from '../api/session.ts';
import { useStore } from '../state/store.ts';

/**
 * Says what to open, to a browser that the server does not know: it never opened the address, or another
 * server runs there now.
 */
export function SignedOut(): JSX.Element {
  const isOfTeam = useStore(session)?.role !== undefined;
  return (
    <main id="main" class="signed-out">
      <h1>This page is not signed in</h1>
      <p role="alert">
        {isOfTeam ? (
          'Your session is over. Try again to sign in.'
        ) : (
          <>
            The console was restarted, or this browser never opened its address. Open the address that{' '}
            <code>batchlatch console</code> printed in the terminal, in any tab: this page then goes on by
            itself.
          </>
        )}
      </p>
      <button type="button" class="button" onClick={() => window.location.reload()}>
        Try again
      </button>
    </main>
  );
}
