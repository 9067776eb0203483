import type { ComponentChildren, JSX } from 'preact';
import { type ApiError, isPassing } from '../api/client.ts';
import { shown } from '../text/shown.ts';
import { Icon } from './icon.tsx';

/** The solution of an error, by its code. */
const REMEDY: Readonly<Record<string, string>> = {
  UNREACHABLE: 'Start it again, and open the address that it prints.',
};

/** An error, with its solution. */
export function ErrorNotice({
  error,
  again,
}: {
  readonly error: ApiError;
  readonly again?: (() => void) | undefined;
}): JSX.Element {
  return (
    <div class="notice notice-error" role="alert">
      <Icon name="overdue" />
      <div>
        <p>
          <strong>{titleOf(error)}</strong> {shown(error.message)} {REMEDY[error.code]}
        </p>
        {isPassing(error) && <p>This page goes on by itself when it is back.</p>}
        {error.code !== 'UNKNOWN' && error.code !== 'UNREACHABLE' && (
          <p class="muted small">{shown(error.code)}</p>
        )}
        {again !== undefined && (
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

function titleOf(error: ApiError): string {
  if (error.code === 'UNREACHABLE' || !isPassing(error)) return 'That did not work.';
  return error.code.startsWith('BATCHLATCH_STORE') ? 'The store does not answer.' : 'SQS does not answer.';
}

/** A message in place of missing content, or a hint. */
export function Notice({
  title,
  children,
  icon = 'info',
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly icon?: 'info' | 'check';
}): JSX.Element {
  return (
    <div class={`notice notice-${icon}`}>
      <Icon name={icon} />
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        {children}
      </div>
    </div>
  );
}

/** A placeholder with bars for lines. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}
