import { createStore } from '../state/store.ts';

/** A redrive that a person has asked for and not confirmed. */
export interface RedriveRequest {
  /** The name of the dead-letter queue. */
  readonly queue: string;
  readonly which: 'all' | readonly string[];
  /** Called when all or some of it is done. */
  readonly onDone?: () => void;
}

/** The redrive in the dialog; undefined while none is open. */
export const redriveRequest = createStore<RedriveRequest | undefined>(undefined);

/** Opens the dialog. */
export function askToRedrive(request: RedriveRequest): void {
  redriveRequest.set(request);
}
