import { CliError, UsageError } from './cli-error.ts';
import { escapeControls } from '../text/escape-controls.ts';
import { sentence } from './print/plural.ts';
import type { ExitStatus } from './process-io.ts';

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
  const causes = causesOf(thrown);
  const known = KNOWN.find(({ when }) =>
    causes.some((cause) => when.test(`${nameOf(cause)} ${messageOf(cause)}`)),
  );
  if (known !== undefined) return { line: oneLine(known.say(detailOf(causes))), status: 1 };
  if (hasCode(thrown, 'BATCHLATCH_CONFIGURATION')) return { line: oneLine(messageOf(thrown)), status: 2 };
  return { line: oneLine(messageOf(thrown) || nameOf(thrown)), status: 1 };
}

const KNOWN: readonly { readonly when: RegExp; say(detail: string): string }[] = [
  {
    when: /Region is missing/,
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
  {
    when: /SSO session|Token is expired|token .* expired|refresh failed/i,
    say: (detail) => `The sign-in has expired: run \`aws sso login\` and try again. (${detail})`,
  },
  {
    when: /^CredentialsProviderError|Could not load credentials|MissingAuthenticationToken/,
    say: () =>
      'No AWS credentials were found: run `aws sso login` or `aws configure`, add ' +
      '--profile NAME, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  },
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
    when: new RegExp(
      '^(UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException|' +
        String.raw`SignatureDoesNotMatch|ExpiredToken\w*|BATCHLATCH_CREDENTIALS)`,
    ),
    say: (detail) =>
      `AWS does not accept the credentials: ${sentence(detail)} ` +
      'Sign in again, or name others with --profile.',
  },
  {
    when: /^ResourceNotFoundException|DynamoDB has no table/,
    say: () =>
      'There is no such table in this account and region: check --table, ' +
      '--region and --profile, and --endpoint-url if there is one.',
  },
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
    when: /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/,
    say: (detail) =>
      `No server answers (${detail}): check --endpoint-url, --region, the URL of the store and the network.`,
  },
];

function causesOf(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let next = thrown; next !== undefined && causes.length < 8; next = causeOf(next)) causes.push(next);
  return causes;
}

function causeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'cause' in thrown ? thrown.cause : undefined;
}

/** Returns the message of the innermost cause, which is the most specific. */
function detailOf(causes: readonly unknown[]): string {
  const cause = causes.at(-1);
  return messageOf(cause) || nameOf(cause);
}

function nameOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return '';
  const { name, code } = thrown as { readonly name?: unknown; readonly code?: unknown };
  const shown = typeof name === 'string' ? name : '';
  return /^(Error|AggregateError|StoreError)$/.test(shown) && typeof code === 'string' ? code : shown;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function hasCode(thrown: unknown, code: string): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === code;
}

function oneLine(text: string): string {
  return escapeControls(text.replace(/\s*\n\s*/g, ' '));
}
