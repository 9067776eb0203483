import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JobJson, RedriveResultJson } from '../api-types.ts';
import { CloseButton } from '../changes/close-button.tsx';
import { Progress } from '../changes/progress.tsx';
import { useJob } from '../changes/use-job.ts';
import { Icon } from '../parts/icon.tsx';
import { progressText } from '../shell/running-jobs.tsx';
import { counted } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { LEFT_MEANING } from '../text/words.ts';
import { isAllRedriven, redriveEndText, redriveResultOf } from './redrive-end-text.ts';
import type { RedriveRequest } from './redrive-request.ts';

/**
 * The progress of a redrive, then its result. If all messages were moved, the dialog closes and a message
 * says so.
 */
export function RedriveOutcome({
  request,
  job: id,
  onClose,
}: {
  readonly request: RedriveRequest;
  readonly job: string;
  readonly onClose: () => void;
}): JSX.Element {
  const [isTold, setTold] = useState(false);
  const job = useJob(id, (ended) => {
    setTold(true);
    request.onDone?.();
    const result = redriveResultOf(ended);
    if (ended.ended === 'whole' && result !== undefined && isAllRedriven(result)) onClose();
  });
  if (job?.ended === undefined || !isTold) {
    return (
      <Progress
        text={job === undefined ? 'Redriving messages' : progressText(job)}
        job={job}
        hint="You can close this: the redrive goes on, and the header shows how far it is."
      />
    );
  }
  return (
    <>
      <Result job={job} />
      <CloseButton onClose={onClose} />
    </>
  );
}

function Result({ job }: { readonly job: JobJson }): JSX.Element {
  const result = redriveResultOf(job);
  return (
    <div role="status" class="outcome">
      {result !== undefined && (
        <ul class="plain-list">
          <li>
            <Icon name="check" /> {redriveEndText(job)}
          </li>
          {notesOf(result).map((note) => (
            <li key={note}>
              <Icon name="info" /> {note}
            </li>
          ))}
        </ul>
      )}
      {job.ended === 'aborted' && <p class="warning">It was stopped before the end.</p>}
      {job.error !== undefined && <p class="warning">{shown(job.error)}</p>}
    </div>
  );
}

function notesOf({ left, notFound, undeleted, notSeen, stillHidden }: RedriveResultJson): readonly string[] {
  const notes: readonly (readonly [number, string])[] = [
    ...Object.entries(left).map(
      ([why, count]) => [count, `left: ${LEFT_MEANING[why] ?? shown(why)}`] as const,
    ),
    [notFound.length, 'not found: somebody may have received them at the moment'],
    [undeleted, 'moved and not deleted here: delete them, or the next redrive moves them once more'],
    [notSeen, 'not seen: one that was left comes before them in their group'],
    [stillHidden, 'hidden for some minutes, because SQS could not be told to show them again'],
  ];
  return notes.flatMap(([count, text]) => (count > 0 ? [`${counted(count, 'message')} ${text}`] : []));
}
