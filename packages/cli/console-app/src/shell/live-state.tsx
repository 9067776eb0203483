import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Connection, connection, pauseLive, reconnect } from '../api/live.ts';
import { useStore } from '../state/store.ts';

const WORDS: Readonly<Record<Connection, { readonly text: string; readonly does: string }>> = {
  live: { text: 'Live', does: 'Pause' },
  paused: { text: 'Paused', does: 'Go on' },
  away: { text: 'Paused', does: 'Go on' },
  connecting: { text: 'Connecting', does: 'Try now' },
  'signed-out': { text: 'Signed out', does: 'Try now' },
};

/** Whether what is shown is live; a click pauses it, or goes on. */
export function LiveState(): JSX.Element {
  const state = useStore(connection);
  const wasLive = useWasLive(state);
  const { does } = WORDS[state];
  const text = state === 'connecting' && wasLive ? 'Connecting again' : WORDS[state].text;
  const act = (): void => {
    if (state === 'live') pauseLive(true);
    else if (state === 'connecting' || state === 'signed-out') reconnect();
    else pauseLive(false);
  };
  return (
    <div class="live" data-live={state}>
      <span class="live-dot" aria-hidden="true" />
      <span role="status">{text}</span>
      <button type="button" class="button button-small" onClick={act}>
        {does}
      </button>
    </div>
  );
}

function useWasLive(state: Connection): boolean {
  const [was, setWas] = useState(false);
  useEffect(() => {
    if (state === 'live') setWas(true);
  }, [state]);
  return was;
}
