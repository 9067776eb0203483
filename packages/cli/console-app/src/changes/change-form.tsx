import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PlanJson } from '../api-types.ts';
import { counted } from '../text/numbers.ts';
import { OPERATION_NAME } from '../text/words.ts';
import type { ChangeRequest } from './change-request.ts';
import { KeptBy } from './kept-by.tsx';
import { PlanSummary } from './plan-summary.tsx';
import { ReasonField } from './reason-field.tsx';
import { useReason } from './use-reason.ts';

/** Asks for a reason and other input. The button says what will happen. */
export function ChangeForm({
  request,
  plan,
  isPlanning,
  isForced,
  onForce,
  onStart,
  onClose,
}: {
  readonly request: ChangeRequest;
  readonly plan: PlanJson;
  /** Whether the plan is being renewed. */
  readonly isPlanning: boolean;
  readonly isForced: boolean;
  readonly onForce: (isForced: boolean) => void;
  readonly onStart: (reason: string, result: string | undefined) => Promise<void>;
  readonly onClose: () => void;
}): JSX.Element {
  const { operation } = request;
  const [result, setResult] = useState('');
  const [isConfirmed, setConfirmed] = useState(false);
  const resultError = operation === 'resolve' ? jsonError(result) : undefined;
  // One claim is named in the dialog, and its button says what is lost.
  const needsConfirmation = isForced || (operation === 'forget' && plan.wouldChange !== 1);
  const isUnconfirmed = needsConfirmation && !isConfirmed;
  const mayStart = !isPlanning && plan.wouldChange > 0 && !isUnconfirmed && resultError === undefined;
  const { reason, setReason, isMissing, isDisabled, submit } = useReason(mayStart, (given) =>
    onStart(given, operation === 'resolve' && result.trim() !== '' ? result : undefined),
  );
  return (
    <form class="form" onSubmit={submit}>
      <PlanSummary request={request} plan={plan} isForced={isForced} onForce={onForce} />
      {operation === 'resolve' && <ResultField value={result} onInput={setResult} error={resultError} />}
      <ReasonField value={reason} onInput={setReason} />
      {needsConfirmation && (
        <label class="check check-danger">
          <input
            type="checkbox"
            required
            checked={isConfirmed}
            onChange={({ currentTarget }) => setConfirmed(currentTarget.checked)}
          />
          {operation === 'forget'
            ? `Delete ${counted(plan.wouldChange, 'claim')} with all history. This cannot be undone.`
            : 'The work of these claims may be done twice.'}
        </label>
      )}
      {operation === 'forget' && !needsConfirmation && (
        <p class="warning">Its history is deleted with it. This cannot be undone.</p>
      )}
      {operation !== 'forget' && <KeptBy />}
      <div class="dialog-buttons">
        {plan.wouldChange > 0 && <span class="muted small">{missingOf(isMissing, isUnconfirmed)}</span>}
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="submit"
          class={operation === 'forget' || isForced ? 'button button-danger' : 'button button-primary'}
          disabled={isDisabled}
        >
          {OPERATION_NAME[operation]} {counted(plan.wouldChange, 'claim')}
        </button>
      </div>
    </form>
  );
}

function ResultField({
  value,
  onInput,
  error,
}: {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly error: string | undefined;
}): JSX.Element {
  return (
    <div class="field">
      <label for="change-result">Result for duplicates, as JSON (may be left empty)</label>
      <textarea
        id="change-result"
        class="mono"
        rows={3}
        spellcheck={false}
        value={value}
        ref={(field) => field?.setCustomValidity(error ?? '')}
        aria-invalid={error !== undefined}
        aria-describedby="change-result-error"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <p id="change-result-error" class="field-error" role="status">
        {error}
      </p>
    </div>
  );
}

/** Returns the input that is missing. */
function missingOf(isReasonMissing: boolean, isUnconfirmed: boolean): string | undefined {
  if (isReasonMissing) return 'Give a reason to go on.';
  return isUnconfirmed ? 'Confirm it above to go on.' : undefined;
}

function jsonError(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'This is no JSON. A text needs quotation marks: "done"';
  }
}
