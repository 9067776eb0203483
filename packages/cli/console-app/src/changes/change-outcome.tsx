import type { JSX } from 'preact';
import type { JobJson } from '../api-types.ts';
import { Icon } from '../parts/icon.tsx';
import { counted, numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { OPERATION_DONE, REFUSAL_MEANING } from '../text/words.ts';
import { changeResultOf, isAllChanged } from './change-end-text.ts';
import type { ChangeRequest } from './change-request.ts';
import { JobOutcome } from './job-outcome.tsx';

/** The most claims to name. */
const MOST_SHOWN = 10;

/**
 * The progress of a change, then its result. If all claims were changed, the dialog closes and a message says
 * so.
 */
export function ChangeOutcome({
  request,
  job,
  onClose,
}: {
  readonly request: ChangeRequest;
  readonly job: string;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <JobOutcome
      job={job}
      starting="Changing claims"
      what="change"
      isComplete={(ended) => {
        const result = changeResultOf(ended);
        return result !== undefined && isAllChanged(result);
      }}
      onDone={request.onDone}
      onClose={onClose}
    >
      {(ended) => <Result request={request} job={ended} />}
    </JobOutcome>
  );
}

function Result({ request, job }: { readonly request: ChangeRequest; readonly job: JobJson }): JSX.Element {
  const result = changeResultOf(job);
  return (
    <div role="status" class="outcome">
      {result !== undefined && (
        <ul class="plain-list">
          <li>
            <Icon name="check" /> {counted(result.done, 'claim')} {OPERATION_DONE[request.operation]}
          </li>
          {Object.entries(result.refused).map(
            ([why, count]) =>
              count > 0 && (
                <li key={why}>
                  <Icon name="info" /> {numberText(count)} refused: {REFUSAL_MEANING[why] ?? shown(why)}
                </li>
              ),
          )}
          {result.notSent > 0 && (
            <li>
              <Icon name="info" /> {numberText(result.notSent)} not changed, because the change was stopped
            </li>
          )}
          {result.failed > 0 && (
            <li>
              <Icon name="overdue" /> {numberText(result.failed)} failed: the change may be stored. Look at
              these claims.
            </li>
          )}
        </ul>
      )}
      {job.error !== undefined && <p class="warning">{shown(job.error)}</p>}
      {result !== undefined && result.notChanged.length > 0 && (
        <ul class="sample">
          {result.notChanged.slice(0, MOST_SHOWN).map(({ key, why, error }) => (
            <li key={key}>
              <span class="mono">{shown(key)}</span>: {shown(error ?? REFUSAL_MEANING[why] ?? why)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
