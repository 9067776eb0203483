import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../state/store.ts';
import { actionsTold, connection } from './live.ts';

/**
 * Reads again after a change through this console, when a hidden tab is shown, and `everyMs` after each
 * answer while the page is live: a slow store would never get to answer if `isLoading` did not count.
 */
export function useFresh(again: () => void, everyMs?: number, isLoading: boolean = false): void {
  useEffect(() => {
    if (everyMs === undefined || isLoading) return undefined;
    const timer = setInterval(() => {
      if (connection.get() === 'live') again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [again, everyMs, isLoading]);
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
