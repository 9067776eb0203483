import type { ClaimJson, OperationKind, PlanRequest, SeenJson } from '../api-types.ts';
import { createStore } from '../state/store.ts';

/** What a person asked to do, before it is confirmed. */
export interface ChangeRequest {
  readonly operation: OperationKind;
  /** Which claims, in words, such as `all that match: parked`. */
  readonly of: string;
  readonly what: Pick<PlanRequest, 'claims' | 'filter'>;
  /** Called when it has been done, or a part of it. */
  readonly onDone?: () => void;
}

/** The change that is asked about; undefined while no dialog is open. */
export const changeRequest = createStore<ChangeRequest | undefined>(undefined);

/** Opens the dialog. */
export function askToChange(request: ChangeRequest): void {
  changeRequest.set(request);
}

/** A claim as it was seen, for a change of it. */
export function seen({ key, status, owner, attempt }: ClaimJson): SeenJson {
  return { key, status, owner, attempt };
}
