import type { JSX } from 'preact';
import { actionsTold } from '../../api/live.ts';
import { useStore } from '../../state/store.ts';
import { counted } from '../../text/numbers.ts';
import { readText } from '../../text/words.ts';
import type { ReadClaims } from './use-claims.ts';

/** The amount read so far, and a button for more. */
export function ReadOn({
  read,
  more,
  again,
}: {
  readonly read: ReadClaims;
  readonly more: (limit?: number) => void;
  readonly again: () => void;
}): JSX.Element {
  const { claims, next, isLoading, actionsBefore } = read;
  const isStale = useStore(actionsTold) > actionsBefore;
  return (
    <div class="read-on">
      <p role="status" class="muted">
        {isLoading
          ? 'Reading…'
          : `${counted(claims.length, 'claim')}${next === undefined ? '' : ' so far'}. ${readText(read)}`}
      </p>
      {next !== undefined && (
        <>
          <button type="button" class="button" disabled={isLoading} onClick={() => more()}>
            Read on
          </button>
          <button type="button" class="button" disabled={isLoading} onClick={() => more(1_000)}>
            Read 1,000 more
          </button>
        </>
      )}
      {isStale && <span class="muted">Claims were changed since.</span>}
      <button type="button" class="button" disabled={isLoading} onClick={again}>
        Read again
      </button>
    </div>
  );
}
