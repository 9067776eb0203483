import type { JSX } from 'preact';
import type { CompletedMessages, RedrivePlanJson } from '../api-types.ts';
import { KeptBy } from '../changes/kept-by.tsx';
import { ReasonField } from '../changes/reason-field.tsx';
import { useReason } from '../changes/use-reason.ts';
import { counted, numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { LEFT_MEANING } from '../text/words.ts';
import type { RedriveRequest } from './redrive-request.ts';

const COMPLETED: readonly (readonly [CompletedMessages, string])[] = [
  ['skip', 'Leave them in the dead-letter queue'],
  ['move', 'Move them too'],
  ['delete', 'Delete them: their work is done'],
];

/** Says what will happen to how many messages, and asks for a reason. */
export function RedriveForm({
  request,
  plan,
  isPlanning,
  completed,
  onCompleted,
  onStart,
  onClose,
}: {
  readonly request: RedriveRequest;
  readonly plan: RedrivePlanJson;
  /** Whether the plan is being renewed. */
  readonly isPlanning: boolean;
  readonly completed: CompletedMessages;
  readonly onCompleted: (completed: CompletedMessages) => void;
  readonly onStart: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}): JSX.Element {
  const { moved, deleted } = plan;
  const mayStart = !isPlanning && moved + deleted > 0;
  const { reason, setReason, isMissing, isDisabled, submit } = useReason(mayStart, onStart);
  return (
    <form class="form" onSubmit={submit}>
      <Summary request={request} plan={plan} />
      {(plan.left.completed !== undefined || completed !== 'skip') && (
        <fieldset>
          <legend>Messages whose work is done already</legend>
          {COMPLETED.map(([value, text]) => (
            <label key={value} class="check">
              <input
                type="radio"
                name="completed"
                value={value}
                checked={completed === value}
                onChange={() => onCompleted(value)}
              />
              {text}
            </label>
          ))}
        </fieldset>
      )}
      <ReasonField value={reason} onInput={setReason} />
      <KeptBy />
      <div class="dialog-buttons">
        {isMissing && moved + deleted > 0 && <span class="muted small">Give a reason to go on.</span>}
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button button-primary" disabled={isDisabled}>
          {buttonText(plan)}
        </button>
      </div>
    </form>
  );
}

function buttonText({ moved, deleted }: RedrivePlanJson): string {
  if (deleted === 0) return `Redrive ${counted(moved, 'message')}`;
  if (moved === 0) return `Delete ${counted(deleted, 'message')}`;
  return `Redrive ${counted(moved, 'message')}, delete ${numberText(deleted)}`;
}

function Summary({
  request: { queue },
  plan: { moved, released, deleted, left, notFound, notSeen },
}: {
  readonly request: RedriveRequest;
  readonly plan: RedrivePlanJson;
}): JSX.Element {
  const reasons = Object.entries(left);
  return (
    <>
      {moved + deleted === 0 && <p>No message would be moved.</p>}
      {moved > 0 && (
        <p>
          {counted(moved, 'message')} of <b>{shown(queue)}</b> will be moved back to the queue
          {moved === 1 ? ' it' : ' they'} came from.
          {released > 0 && (
            <> Before, {counted(released, 'claim')} will be released, so that they run again.</>
          )}
        </p>
      )}
      {deleted > 0 && (
        <p class="warning">{counted(deleted, 'message')} will be deleted: the work is done already.</p>
      )}
      {reasons.length > 0 && (
        <div class="warning">
          <p>These are left where they are:</p>
          <ul>
            {reasons.map(([why, count]) => (
              <li key={why}>
                {counted(count, 'message')}: {LEFT_MEANING[why] ?? shown(why)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {notFound.length > 0 && (
        <p class="warning">
          {counted(notFound.length, 'message')} could not be found. Somebody may have received them at the
          moment.
        </p>
      )}
      {notSeen > 0 && (
        <p class="muted">
          {counted(notSeen, 'message')} could not be seen, because one that is left comes before them in their
          group.
        </p>
      )}
    </>
  );
}
