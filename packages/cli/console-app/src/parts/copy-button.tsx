import type { JSX } from 'preact';
import { toast } from './toasts.tsx';

/** Copies a text as it is, also what cannot be seen in it. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      toast(`Copied ${what}`);
    } catch {
      toast(`The browser did not allow copying ${what}`, { isError: true });
    }
  };
  return (
    <button type="button" class="button button-small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}
