import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JobJson } from '../../api-types.ts';
import { post } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { asApiError } from '../../api/use-request.ts';
import { toast } from '../../parts/toasts.tsx';
import { useStore } from '../../state/store.ts';
import { counted } from '../../text/numbers.ts';

/** Has the server read every claim, and says before what that takes. */
export function ReadAllButton({
  text,
  estimatedRows,
  jobs,
}: {
  readonly text: string;
  readonly estimatedRows: number | undefined;
  readonly jobs: readonly JobJson[];
}): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const isOfTeam = useStore(session)?.role !== undefined;
  const isReading = jobs.some(({ what }) => what === 'read');
  const read = async (): Promise<void> => {
    setAsking(true);
    try {
      await post('read');
    } catch (error) {
      toast(asApiError(error).message, { isError: true });
    }
    setAsking(false);
  };
  const cost =
    estimatedRows === undefined ? 'reads the whole table' : `reads about ${counted(estimatedRows, 'row')}`;
  if (isOfTeam) {
    return (
      <span class="muted small">
        (<code>batchlatch claims stats</code> reads the whole table)
      </span>
    );
  }
  return (
    <span class="read-all">
      <button type="button" class="button" disabled={isReading || isAsking} onClick={() => void read()}>
        {isReading ? 'Reading…' : text}
      </button>{' '}
      <span class="muted small">({cost})</span>
    </span>
  );
}
