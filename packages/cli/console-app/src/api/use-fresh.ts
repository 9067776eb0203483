import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../state/store.ts';
import { actionsTold, connection } from './live.ts';

/**
 * Reads again after a change through this console, when a hidden tab is shown, and every `everyMs` while the
 * page is live.
 */
export function useFresh(again: () => void, everyMs?: number): void {
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (connection.get() === 'live') again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [again, everyMs]);
  const told = useStore(actionsTold);
  const toldBefore = useRef(told);
  useEffect(() => {
    if (told === toldBefore.current) return;
    toldBefore.current = told;
    again();
  }, [told]);
  useEffect(() => {
    const whenShown = (): void => {
      if (!document.hidden) again();
    };
    document.addEventListener('visibilitychange', whenShown);
    return () => document.removeEventListener('visibilitychange', whenShown);
  }, [again]);
}
