import { useEffect, useRef, useState } from 'preact/hooks';
import { createStore } from './store.ts';

let serverIsAheadMs = 0;

const seconds = createStore(Date.now());
setInterval(() => {
  if (!document.hidden) seconds.set(serverNow());
}, 1_000);

/** Ages are told by the server's clock, whatever that of this machine says. */
export function setServerTime(iso: string): void {
  const ahead = Date.parse(iso) - Date.now();
  // Less than the way of an answer is no difference of clocks.
  serverIsAheadMs = Number.isNaN(ahead) || Math.abs(ahead) < 2_000 ? 0 : ahead;
}

/** The time now, by the server's clock. */
function serverNow(): number {
  return Date.now() + serverIsAheadMs;
}

/** A text that depends on the time; the component is drawn again when the text changes, which is seldom in a long list. */
export function useTimeText(make: (now: number) => string): string {
  const [text, setText] = useState(() => make(serverNow()));
  const latest = useRef(make);
  latest.current = make;
  useEffect(() => seconds.subscribe(() => setText(latest.current(seconds.get()))), []);
  const now = make(serverNow());
  return now === text ? text : now;
}
