import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../state/store.ts';
import { actionsTold } from './live.ts';

/** Reads again when somebody has changed something through this console, and when a hidden tab is shown. */
export function useFresh(again: () => void): void {
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
