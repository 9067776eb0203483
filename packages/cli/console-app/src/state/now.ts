import { useEffect, useRef, useState } from 'preact/hooks';
import { createStore } from './store.ts';

let serverIsAheadMs = 0;

const seconds = createStore(Date.now());
setInterval(() => {
  if (!document.hidden) seconds.set(serverNow());
}, 1_000);

/** Sets the server's time, by which ages are shown. */
export function setServerTime(iso: string): void {
  const ahead = Date.parse(iso) - Date.now();
  // A smaller difference is the delay of the answer.
  serverIsAheadMs = Number.isNaN(ahead) || Math.abs(ahead) < 2_000 ? 0 : ahead;
}

/** The current time of the server. */
function serverNow(): number {
  return Date.now() + serverIsAheadMs;
}

/** Returns a text that depends on the time. The component is drawn again only when the text changes. */
export function useTimeText(make: (now: number) => string): string {
  const [text, setText] = useState(() => make(serverNow()));
  const latest = useRef(make);
  latest.current = make;
  useEffect(() => seconds.subscribe(() => setText(latest.current(seconds.get()))), []);
  const now = make(serverNow());
  return now === text ? text : now;
}
