import { useCallback } from 'preact/hooks';
import { session } from '../../api/session.ts';
import { useFresh } from '../../api/use-fresh.ts';
import { useStore } from '../../state/store.ts';
import { PAGE, type useClaims } from './use-claims.ts';

/** A list of 100 claims by the index costs about 100 read units of DynamoDB. */
const EVERY_MS = 5_000;
/** Where the console reads everything by itself, a list costs nothing that counts. */
const EVERY_MS_HERE = 3_000;

/**
 * Reads a list again every few seconds while it is shown: one that an index answers, or any where the console reads by itself. Not
 * while more than its first page is shown, and not under the hands of somebody who selects or decides.
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
