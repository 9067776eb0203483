import type { JSX } from 'preact';
import type { RowsPlanJson } from '../api-types.ts';
import { KeptBy } from '../changes/kept-by.tsx';
import { ReasonField } from '../changes/reason-field.tsx';
import { useReason } from '../changes/use-reason.ts';
import { counted, numberText } from '../text/numbers.ts';
import { ROW_OPERATION_NAME, ROW_REFUSAL, rowsMeaning } from '../text/row-words.ts';
import { shown } from '../text/shown.ts';

/** Says what will happen to how many rows, and asks for a reason. */
export function RowsForm({
  plan,
  isPlanning,
  onStart,
  onClose,
}: {
  readonly plan: RowsPlanJson;
  /** Whether the plan is being renewed. */
  readonly isPlanning: boolean;
  readonly onStart: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}): JSX.Element {
  const { operation, wouldChange } = plan;
  const mayStart = !isPlanning && wouldChange > 0;
  const { reason, setReason, isMissing, isDisabled, submit } = useReason(mayStart, onStart);
  return (
    <form class="form" onSubmit={submit}>
      <Summary plan={plan} />
      <ReasonField value={reason} onInput={setReason} />
      <KeptBy of="row" />
      <div class="dialog-buttons">
        {isMissing && wouldChange > 0 && <span class="muted small">Give a reason to go on.</span>}
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="submit"
          class={operation === 'drop' ? 'button button-danger' : 'button button-primary'}
          disabled={isDisabled}
        >
          {ROW_OPERATION_NAME[operation]} {counted(wouldChange, 'row')}
        </button>
      </div>
    </form>
  );
}

function Summary({ plan }: { readonly plan: RowsPlanJson }): JSX.Element {
  const { operation, count, wouldChange, inGroups, late, isWhole, wouldBeRefused, sample } = plan;
  const refused = Object.entries(wouldBeRefused).filter(([, rows]) => rows > 0);
  if (count === 0) return <p>There are no such rows any more. Nothing would be changed.</p>;
  return (
    <>
      <p>
        {wouldChange === 0
          ? 'None of these rows would be changed.'
          : rowsMeaning(operation, wouldChange, inGroups)}
      </p>
      {late > 0 && (
        <p class="warning">
          {counted(late, 'dropped row')} of message groups would be sent out of order: later rows of the
          groups went on.
        </p>
      )}
      {!isWhole && (
        <p class="warning">
          More rows match than one change can take. These are the first {numberText(count)}; repeat it for the
          others.
        </p>
      )}
      {refused.length > 0 && (
        <div class="warning">
          <p>These are left as they are:</p>
          <ul>
            {refused.map(([why, rows]) => (
              <li key={why}>
                {counted(rows, 'row')}: {ROW_REFUSAL[why as keyof typeof ROW_REFUSAL]}
              </li>
            ))}
          </ul>
        </div>
      )}
      {sample.length > 0 && (
        <ul class="sample">
          {sample.map(({ outboxId, type, group }) => (
            <li key={outboxId}>
              {shown(type)}
              {group !== undefined && <> of group {shown(group)}</>}{' '}
              <span class="mono muted small">{shown(outboxId)}</span>
            </li>
          ))}
          {wouldChange > sample.length && (
            <li class="muted">and {counted(wouldChange - sample.length, 'more row')}</li>
          )}
        </ul>
      )}
    </>
  );
}
