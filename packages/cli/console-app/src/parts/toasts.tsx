import type { JSX } from 'preact';
import { createStore, useStore } from '../state/store.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const toasts = createStore<readonly Toast[]>([]);
const SHOWN_MS = 8_000;
const MOST = 4;
let lastId = 0;

/** Says for some seconds what was done. An error stays until it is closed. */
export function toast(text: string, { isError = false }: { readonly isError?: boolean } = {}): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get(), { id, text, isError }].slice(-MOST));
  if (!isError) setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Where they are shown; screen readers read them out. */
export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite" aria-label="Messages">
      {useStore(toasts).map(({ id, text, isError }) => (
        <div key={id} class={isError ? 'toast toast-error' : 'toast'}>
          <Icon name={isError ? 'overdue' : 'check'} />
          <span>{text}</span>
          <button type="button" class="button button-plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
