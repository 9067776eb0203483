import type { ClaimJson, OperationKind, PlanRequest, SeenJson } from '../api-types.ts';
import { createStore } from '../state/store.ts';

/** A change that a person has asked for and not confirmed. */
export interface ChangeRequest {
  readonly operation: OperationKind;
  /** The claims in words, such as `all that match: parked`. */
  readonly of: string;
  readonly what: Pick<PlanRequest, 'claims' | 'filter'>;
  /** Called when all or some of it is done. */
  readonly onDone?: () => void;
}

/** The change in the dialog; undefined while none is open. */
export const changeRequest = createStore<ChangeRequest | undefined>(undefined);

/** Opens the dialog. */
export function askToChange(request: ChangeRequest): void {
  changeRequest.set(request);
}

/** Returns the state of a claim that a change relies on. */
export function seen({ key, status, owner, attempt }: ClaimJson): SeenJson {
  return { key, status, owner, attempt };
}
