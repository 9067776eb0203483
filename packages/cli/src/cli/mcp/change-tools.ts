import { type OperationKind, operateOnClaims, redriveDeadLetters } from 'batchlatch/operations';
import * as z from 'zod';
import { changeJson } from '../claims/report-changes.ts';
import { CliError } from '../cli-error.ts';
import { hasError } from '../dead-letters/list-dead-letters.ts';
import { redriveJson } from '../dead-letters/report-redrive.ts';
import { BY_ERROR } from './dead-letter-tools.ts';
import type { Toolbox } from './toolbox.ts';

const CLAIMS = z
  .array(
    z.object({
      key: z.string().min(1),
      status: z.enum(['IN_PROGRESS', 'COMPLETED', 'FAILED', 'PARKED']),
      owner: z.string(),
      attempt: z.int(),
    }),
  )
  .min(1)
  .max(100)
  .describe('The claims as a tool gave them: one that has changed since is refused');
const REASON = z.string().min(1).max(256).describe('Why; kept on the claims for whoever looks at them later');

/**
 * Adds the tools that change something. None of them takes `force`: whether a handler that may be running is
 * to be overruled is for a person, with the command line or the console.
 */
export function addChangeTools(tools: Toolbox, operator: string): void {
  addClaimChange(tools, operator, {
    name: 'release_claims',
    operation: 'release',
    description:
      'Lets keys run again at the next delivery of their message, with their attempts counted from 0. ' +
      'Only for work that was certainly not done, or may be done twice. A message in the dead-letter ' +
      'queue has to be redriven too.',
  });
  addClaimChange(tools, operator, {
    name: 'resolve_claims',
    operation: 'resolve',
    description: 'Counts keys as done without running them: further deliveries are dropped as duplicates.',
  });
  addRedrive(tools, operator);
}

function addClaimChange(
  { add, claims, context }: Toolbox,
  operator: string,
  {
    operation,
    ...tool
  }: { readonly name: string; readonly description: string; readonly operation: OperationKind },
): void {
  add({
    ...tool,
    changes: true,
    input: { claims: CLAIMS, reason: REASON },
    // Without the client's signal: a change that was sent may have been made, so its outcome is waited for.
    async answer({ claims: given, reason }) {
      const outcomes = await operateOnClaims(claims.store, given, { operation, operator, reason });
      const changes = outcomes.map((outcome, index) => ({ name: given[index]?.key ?? '', outcome }));
      return changeJson(changes, context.now());
    },
  });
}

function addRedrive({ add, letters }: Toolbox, operator: string): void {
  if (letters === undefined) return;
  add({
    name: 'redrive_dead_letters',
    description:
      'Sends dead letters back to the queue they came from. Claims that would drop them are released ' +
      'first. A message whose claim is completed or in progress stays. Give messageIds, an error, or ' +
      'all; dryRun shows what would be done.',
    changes: true,
    input: {
      messageIds: z.array(z.string().min(1)).min(1).max(100).optional(),
      ...BY_ERROR,
      all: z.literal(true).optional(),
      reason: REASON,
      dryRun: z.boolean().default(false),
    },
    async answer({ messageIds, errorName, errorCode, all, reason, dryRun }, signal) {
      const isByError = errorName !== undefined || errorCode !== undefined;
      if ([messageIds !== undefined, isByError, all === true].filter(Boolean).length !== 1) {
        throw new CliError(
          'Expected one of messageIds, an error (errorName, errorCode) and all: got none or several.',
        );
      }
      const result = await redriveDeadLetters(letters.sqs, {
        ...letters.common,
        signal,
        which: messageIds ?? (isByError ? (message) => hasError(message, { errorName, errorCode }) : 'all'),
        completed: 'skip',
        reason,
        operator,
        dryRun,
      });
      return redriveJson(result, dryRun);
    },
  });
}
