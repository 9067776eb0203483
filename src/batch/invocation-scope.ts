import type { Policy } from './policy.ts';
import type { BatchScope } from './scope.ts';

/** What one invocation has: what its records share, and the policies around them. */
export interface InvocationScope extends BatchScope {
  readonly policies: readonly Policy[];
}
