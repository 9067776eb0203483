import type { Mutant } from '../../../lab/rules/mutant.ts';
import { mutantsOfBatches } from './of-batches.ts';
import { mutantsOfClaims } from './of-claims.ts';
import { mutantsOfCommits } from './of-commits.ts';
import { mutantsOfFunctions } from './of-functions.ts';
import { mutantsOfMessages } from './of-messages.ts';
import { mutantsOfQueuesAndLimits } from './of-queues-and-limits.ts';
import { mutantsOfSources } from './of-sources.ts';
import { mutantsOfStores } from './of-stores.ts';

/** The rules that the simulation has to miss. */
export const mutants: readonly Mutant[] = [
  ...mutantsOfClaims,
  ...mutantsOfStores,
  ...mutantsOfBatches,
  ...mutantsOfSources,
  ...mutantsOfCommits,
  ...mutantsOfFunctions,
  ...mutantsOfQueuesAndLimits,
  ...mutantsOfMessages,
];
