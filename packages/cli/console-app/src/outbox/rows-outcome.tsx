import type { JSX } from 'preact';
import type { JobJson } from '../api-types.ts';
import { JobOutcome } from '../changes/job-outcome.tsx';
import { Icon } from '../parts/icon.tsx';
import { ROW_REFUSAL } from '../text/row-words.ts';
import { shown } from '../text/shown.ts';
import { areAllChanged, rowsEndText, rowsResultOf } from './rows-end-text.ts';
import type { RowsRequest } from './rows-request.ts';

/** The most rows to name. */
const MOST_SHOWN = 10;

/**
 * The progress of a change of rows, then its result. If all rows were changed, the dialog closes and a
 * message says so.
 */
export function RowsOutcome({
  request,
  job,
  onClose,
}: {
  readonly request: RowsRequest;
  readonly job: string;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <JobOutcome
      job={job}
      starting="Changing rows of the outbox"
      what="change"
      isComplete={(ended) => {
        const result = rowsResultOf(ended);
        return result !== undefined && areAllChanged(result);
      }}
      onDone={request.onDone}
      onClose={onClose}
    >
      {(ended) => <Result request={request} job={ended} />}
    </JobOutcome>
  );
}

function Result({ request, job }: { readonly request: RowsRequest; readonly job: JobJson }): JSX.Element {
  const result = rowsResultOf(job);
  const notChanged = result?.notChanged ?? [];
  return (
    <div role="status" class="outcome">
      {result !== undefined && (
        <p>
          <Icon name="check" /> {rowsEndText(request.operation, job)}
        </p>
      )}
      {job.error !== undefined && <p class="warning">{shown(job.error)}</p>}
      {notChanged.length > 0 && (
        <ul class="sample">
          {notChanged.slice(0, MOST_SHOWN).map(({ outboxId, why, error }) => (
            <li key={outboxId}>
              <span class="mono">{shown(outboxId)}</span>:{' '}
              {why === 'failed'
                ? `${shown(error)} The change may be stored: look at the row.`
                : ROW_REFUSAL[why]}
            </li>
          ))}
          {notChanged.length > MOST_SHOWN && <li class="muted">and others</li>}
        </ul>
      )}
    </div>
  );
}
