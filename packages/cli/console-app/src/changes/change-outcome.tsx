import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JobJson } from '../api-types.ts';
import { Icon } from '../parts/icon.tsx';
import { progressText } from '../shell/running-jobs.tsx';
import { counted, numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { OPERATION_DONE, REFUSAL_MEANING } from '../text/words.ts';
import { changeResultOf, isAllChanged } from './change-end-text.ts';
import type { ChangeRequest } from './change-request.ts';
import { CloseButton } from './close-button.tsx';
import { Progress } from './progress.tsx';
import { useJob } from './use-job.ts';

/** The most claims to name. */
const MOST_SHOWN = 10;

/**
 * The progress of a change, then its result. If all claims were changed, the dialog closes and a message says
 * so.
 */
export function ChangeOutcome({
  request,
  job: id,
  onClose,
}: {
  readonly request: ChangeRequest;
  readonly job: string;
  readonly onClose: () => void;
}): JSX.Element {
  const [isTold, setTold] = useState(false);
  const job = useJob(id, (ended) => {
    setTold(true);
    request.onDone?.();
    const result = changeResultOf(ended);
    if (ended.ended === 'whole' && result !== undefined && isAllChanged(result)) onClose();
  });
  if (job?.ended === undefined || !isTold) {
    return (
      <Progress
        text={job === undefined ? 'Changing claims' : progressText(job)}
        job={job}
        hint="You can close this: the change goes on, and the header shows how far it is."
      />
    );
  }
  return (
    <>
      <Result request={request} job={job} />
      <CloseButton onClose={onClose} />
    </>
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
