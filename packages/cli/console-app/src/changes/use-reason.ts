import { useState } from 'preact/hooks';

/** The reason in a form that starts a change, and its submission, once. */
export interface ReasonForm {
  readonly reason: string;
  setReason(reason: string): void;
  /** Whether the form waits for its reason. */
  readonly isMissing: boolean;
  /** Whether the form cannot be submitted now. */
  readonly isDisabled: boolean;
  submit(event: Event): void;
}

/** Returns a form's reason. `mayStart` is whether the rest of the form is complete. */
export function useReason(mayStart: boolean, onStart: (reason: string) => Promise<void>): ReasonForm {
  const [text, setReason] = useState('');
  const [isStarting, setStarting] = useState(false);
  const reason = text.trim();
  const isMissing = reason === '';
  const isDisabled = !mayStart || isMissing || isStarting;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isDisabled) return;
    setStarting(true);
    void onStart(reason);
  };
  return { reason: text, setReason, isMissing, isDisabled, submit };
}
