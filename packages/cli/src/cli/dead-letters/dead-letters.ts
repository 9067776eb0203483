import type { SQS } from '@aws-sdk/client-sqs';
import type { ClaimAdmin, KeyOfMessage } from 'batchlatch/operations';
import type { TableOptions } from '../arguments/common-options.ts';
import { type KeyOptions, keyOf } from '../arguments/key-options.ts';
import { withClaims } from '../connect/claims.ts';
import { type QueueOptions, withQueue } from '../connect/sqs.ts';
import type { Context } from '../context.ts';

/** The options that name the dead-letter queue and the claims. */
export interface DeadLetterOptions extends QueueOptions, TableOptions, KeyOptions {
  readonly useReceives?: boolean;
}

/** The queue that the commands of dead letters work on. */
export interface DeadLetters {
  readonly sqs: SQS;
  /** Options of every call to `batchlatch/operations`. */
  readonly common: {
    readonly queueUrl: string;
    readonly usesReceives: boolean;
    readonly signal: AbortSignal;
    readonly admin?: ClaimAdmin;
    readonly key?: KeyOfMessage;
  };
}

/** Opens the queue, and the claims if the options name them, for `use`. */
export function withDeadLetters<Result>(
  context: Context,
  options: DeadLetterOptions,
  use: (letters: DeadLetters) => Promise<Result>,
): Promise<Result> {
  const { useReceives = false } = options;
  const key = keyOf(options);
  return withQueue(context, options, (sqs, queueUrl) => {
    const common = {
      queueUrl,
      usesReceives: useReceives,
      signal: context.signal,
      ...(key !== undefined && { key }),
    };
    if (!namesTable(options, context)) return use({ sqs, common });
    return withClaims(context, options, ({ store: admin }) => use({ sqs, common: { ...common, admin } }));
  });
}

/** Returns whether the options or the environment name the claims. */
export function namesTable({ table, postgres, redis }: TableOptions, { env }: Pick<Context, 'env'>): boolean {
  if (postgres !== undefined || redis !== undefined) return true;
  return (table ?? env['CLAIMS_TABLE_NAME'] ?? '') !== '';
}
