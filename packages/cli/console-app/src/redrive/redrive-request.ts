import { createStore } from '../state/store.ts';

/** What a person asked to redrive, before it is confirmed. */
export interface RedriveRequest {
  /** The name of the dead-letter queue. */
  readonly queue: string;
  readonly which: 'all' | readonly string[];
  /** Called when it has been done, or a part of it. */
  readonly onDone?: () => void;
}

/** The redrive that is asked about; undefined while no dialog is open. */
export const redriveRequest = createStore<RedriveRequest | undefined>(undefined);

/** Opens the dialog. */
export function askToRedrive(request: RedriveRequest): void {
  redriveRequest.set(request);
}
