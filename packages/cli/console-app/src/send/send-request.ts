import { createStore } from '../state/store.ts';

/** A message that a person wants to send, before it is confirmed. */
export interface SendRequest {
  /** The queue that is chosen at first. Default: the first one. */
  readonly queue?: string;
  /** The body that is there at first. Default: none. */
  readonly body?: string;
  /** The key that the message should have, where a claim is to run again. */
  readonly key?: string;
  readonly onDone?: () => void;
}

/** The message that is asked about; undefined while no dialog is open. */
export const sendRequest = createStore<SendRequest | undefined>(undefined);

/** Opens the dialog. */
export function askToSend(request: SendRequest): void {
  sendRequest.set(request);
}
