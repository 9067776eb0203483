import { CliError, UsageError } from './cli-error.ts';
import { escapeControls } from '../text/escape-controls.ts';
import type { ExitStatus } from './process-io.ts';
import { hasCode } from '../tool-base/errors.ts';
import {
  CREDENTIALS,
  explain,
  type KnownError,
  messageOf,
  nameOf,
  NOT_AN_OUTBOX,
  sentence,
} from '../tool-base/known-errors.ts';

/** The text and the exit status for an error. */
export interface Explanation {
  /** A single line, with the remedy. */
  readonly line: string;
  readonly status: ExitStatus;
}

/** Explains an error that a command threw. */
export function explainError(thrown: unknown): Explanation {
  if (thrown instanceof UsageError) return { line: oneLine(thrown.message), status: 2 };
  if (thrown instanceof CliError) return { line: oneLine(thrown.message), status: 1 };
  const explained = explain(thrown, KNOWN);
  if (explained !== undefined) return { line: oneLine(explained), status: 1 };
  if (hasCode(thrown, 'BATCHLATCH_CONFIGURATION')) return { line: oneLine(messageOf(thrown)), status: 2 };
  return { line: oneLine(messageOf(thrown) || nameOf(thrown)), status: 1 };
}

const KNOWN: readonly KnownError[] = [
  {
    when: /Region is missing|region="" is not a valid/, // the latter of an empty AWS_REGION
    say: () => 'No AWS region is configured: add --region REGION, or set AWS_REGION.',
  },
  {
    when: new RegExp(
      [
        'could not be found in the shared credentials file',
        'Could not resolve credentials using profile',
        'profile .* could not be found',
      ].join('|'),
      'i',
    ),
    say: (detail) =>
      `The profile cannot be used: ${sentence(detail)} Name one of ` +
      '`aws configure list-profiles` with --profile.',
  },
  ...CREDENTIALS,
  {
    when: new RegExp(
      [
        'PostgreSQL did not let the role in',
        'password authentication failed',
        '^(28P01|28000)',
        'role .* does not exist',
      ].join('|'),
    ),
    say: (detail) =>
      `PostgreSQL does not let the role in: ${sentence(detail)} Check the URL, or PGUSER and PGPASSWORD.`,
  },
  {
    when: /WRONGPASS|NOAUTH/,
    say: (detail) => `Redis does not let the user in: ${sentence(detail)} Check the URL.`,
  },
  {
    when: /^ResourceNotFoundException|DynamoDB has no table/,
    say: () =>
      'There is no such table in this account and region: check --table, ' +
      '--region and --profile, and --endpoint-url if there is one.',
  },
  NOT_AN_OUTBOX,
  {
    when: /^(QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue)/,
    say: () =>
      'There is no such queue in this account and region: check ' +
      '--queue or --queue-url, --region and --profile.',
  },
  {
    when: /usesReceives/,
    say: () =>
      'This queue has its own redrive policy: each read counts as a receive, after which SQS ' +
      'may move the message. If it is the dead-letter queue, add --use-receives.',
  },
  {
    when: /^AccessDenied|The policy refuses/,
    say: (detail) =>
      `Access is denied: ${sentence(detail)} Grant the ` +
      'permission, or name other credentials with --profile.',
  },
  {
    when: /^(ProvisionedThroughputExceeded|Throttling|RequestLimitExceeded)/,
    say: (detail) =>
      `AWS refuses requests for now, because there are too many: ${sentence(detail)} ` +
      'Set AWS_MAX_ATTEMPTS=20, so that the command waits and goes on, or run it later.',
  },
  {
    when: /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/,
    say: (detail) =>
      `No server answers (${detail}): check --endpoint-url, --region, the URL of the store and the network.`,
  },
];

function oneLine(text: string): string {
  return escapeControls(text.replace(/\s*\n\s*/g, ' '));
}
