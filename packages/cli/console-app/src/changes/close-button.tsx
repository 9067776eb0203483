import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Ends a dialog that has told its outcome. It has the focus, because the button that started it is gone. */
export function CloseButton({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div class="dialog-buttons">
      <button type="button" class="button button-primary" ref={button} onClick={onClose}>
        Close
      </button>
    </div>
  );
}
