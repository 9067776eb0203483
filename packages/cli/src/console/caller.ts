import { ApiError } from './api-error.ts';

/** The role of a person on a console that several people use. `operate` includes `read`. */
export type ConsoleRole = 'read' | 'operate';

/** The person who sent a request, as the server verified it. */
export interface Caller {
  /** The name that is kept with each change: at most 128 characters. */
  readonly operator: string;
  readonly allowChanges: boolean;
  /** Absent on a console that one person uses. */
  readonly role?: ConsoleRole;
}

/** Throws for a caller who may not change anything. */
export function assertChangesAllowed({ allowChanges, role }: Caller): void {
  if (allowChanges) return;
  throw new ApiError(
    403,
    'read-only',
    role === undefined
      ? 'This console is read-only. Restart it with --allow-changes to change claims and redrive messages.'
      : 'Your role is `read`, which changes nothing. Ask for the role `operate`.',
  );
}
