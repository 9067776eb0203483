import type { JSX } from 'preact';
import type { ClaimState, ParkedKind } from '../api-types.ts';

/** Icons of 16 by 16. Each state has its own shape: colour is never the only sign. */
const PATHS = {
  'in-progress': 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm0 1.6v8.8A4.4 4.4 0 0 1 8 3.6z',
  overdue: 'M8 1.6 15 14H1L8 1.6zm-.8 4.6v3.9h1.6V6.2H7.2zm0 4.9v1.5h1.6v-1.5H7.2z',
  failed: 'm3.9 2.8 4.1 4 4.1-4 1.1 1.1L9.1 8l4.1 4.1-1.1 1.1L8 9.2l-4.1 4-1.1-1.1L6.9 8 2.8 3.9z',
  parked: 'M2 2h12v12H2V2zm3.4 3v6h1.8V5H5.4zm3.4 0v6h1.8V5H8.8z',
  completed: 'm6.4 12.6-4-4 1.2-1.2 2.8 2.8 6-6.2 1.2 1.2z',
  released: 'M4 2.2v11.6L13.6 8z',
  queue: 'M2 3h12v2.6H2V3zm0 3.7h12v2.6H2V6.7zm0 3.7h12V13H2v-2.6z',
  check: 'M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6zm-.9 9.3L4 7.8l1.1-1.1 2 2 3.8-4L12 5.8z',
  info: 'M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6zM7.2 7h1.6v4.6H7.2V7zm0-2.8h1.6v1.7H7.2V4.2z',
  rows: 'M2 2.5h12v1.4H2V2.5zm0 3.2h12v1.4H2V5.7zm0 3.2h12v1.4H2V8.9zm0 3.2h12v1.4H2v-1.4z',
  sun: 'M8 4.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8zM7.3.8h1.4v2.3H7.3V.8zm0 12.1h1.4v2.3H7.3v-2.3zM.8 7.3h2.3v1.4H.8V7.3zm12.1 0h2.3v1.4h-2.3V7.3zM2.4 3.4l1-1L5 4 4 5 2.4 3.4zM11 12l1-1 1.6 1.6-1 1L11 12zM12 5l-1-1 1.6-1.6 1 1L12 5zM5 12l-1.6 1.6-1-1L4 11z',
  moon: 'M6 1.7a6.4 6.4 0 1 0 8.3 8.3A5.6 5.6 0 0 1 6 1.7z',
  auto: 'M1.5 2.5h13v9h-13v-9zm1.4 1.4v6.2h10.2V3.9H2.9zM5 12.6h6V14H5v-1.4z',
} as const;

type IconName = keyof typeof PATHS;

/** The icon of each kind of parked claims. */
export const PARKED_ICON = {
  lapsed: 'overdue',
  failed: 'failed',
  attempts: 'in-progress',
  done: 'completed',
} as const satisfies Record<ParkedKind, IconName>;

/** A decorative icon, always beside a word. */
export function Icon({ name }: { readonly name: IconName | ClaimState }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="currentColor" fill-rule="evenodd" />
    </svg>
  );
}
