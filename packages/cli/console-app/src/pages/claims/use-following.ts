import { useCallback } from 'preact/hooks';
import { session } from '../../api/session.ts';
import { useFresh } from '../../api/use-fresh.ts';
import { useStore } from '../../state/store.ts';
import { PAGE, type useClaims } from './use-claims.ts';

/** Reading 100 claims by the index costs about 100 read units of DynamoDB. */
const EVERY_MS = 5_000;
/** The console reads everything itself, so a list costs nothing more. */
const EVERY_MS_HERE = 3_000;

/**
 * Reads a visible list again every few seconds, if an index answers it or the console reads everything
 * itself. Not while more than the first page is shown, or while the person selects or decides.
 */
export function useFollowing(read: ReturnType<typeof useClaims>, isSelected: boolean): void {
  const readsBySelf = useStore(session)?.readsBySelf ?? false;
  const { follow, isLoading, readBy, claims } = read;
  const isFollowed = (readsBySelf || readBy === 'index') && claims.length <= PAGE;
  const mayFollow = isFollowed && !isLoading && !isSelected;
  useFresh(
    useCallback(() => {
      if (mayFollow && document.querySelector('dialog[open]') === null) follow();
    }, [mayFollow, follow]),
    readsBySelf ? EVERY_MS_HERE : EVERY_MS,
  );
}
