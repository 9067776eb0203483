import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** As long as the store keeps it. */
const LONGEST = 256;

/** Why a change is made. It has the focus when the dialog opens. */
export function ReasonField({
  value,
  onInput,
}: {
  readonly value: string;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div class="field">
      <label for="change-reason">Reason</label>
      <input
        id="change-reason"
        ref={field}
        type="text"
        required
        maxLength={LONGEST}
        autocomplete="off"
        placeholder="such as: fixed in 1.4"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}
