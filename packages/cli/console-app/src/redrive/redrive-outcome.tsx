import type { JSX } from 'preact';
import type { JobJson, RedriveResultJson } from '../api-types.ts';
import { JobOutcome } from '../changes/job-outcome.tsx';
import { Icon } from '../parts/icon.tsx';
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
  job,
  onClose,
}: {
  readonly request: RedriveRequest;
  readonly job: string;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <JobOutcome
      job={job}
      starting="Redriving messages"
      what="redrive"
      isComplete={(ended) => {
        const result = redriveResultOf(ended);
        return result !== undefined && isAllRedriven(result);
      }}
      onDone={request.onDone}
      onClose={onClose}
    >
      {(ended) => <Result job={ended} />}
    </JobOutcome>
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
