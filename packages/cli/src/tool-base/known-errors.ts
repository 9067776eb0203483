/** An error that people can do something about. */
export interface KnownError {
  /** Matches the name and the message of the error, or of one of its causes. */
  readonly when: RegExp;
  /** Returns what happened and what to do. `detail` is the message of the innermost cause. */
  say(detail: string): string;
}

/** Returns the explanation of the first known error that matches. */
export function explain(thrown: unknown, known: readonly KnownError[]): string | undefined {
  const causes = causesOf(thrown);
  return known
    .find(({ when }) => causes.some((cause) => when.test(`${nameOf(cause)} ${messageOf(cause)}`)))
    ?.say(detailOf(causes));
}

/** Credentials of AWS that are missing, expired or refused. */
export const CREDENTIALS: readonly KnownError[] = [
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
      '^(UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException|' +
        String.raw`SignatureDoesNotMatch|ExpiredToken\w*|BATCHLATCH_CREDENTIALS)`,
    ),
    say: (detail) =>
      `AWS does not accept the credentials: ${sentence(detail)} ` +
      'Sign in again, or name others with --profile.',
  },
];

/** A table of something else, such as claims, in place of an outbox. */
export const NOT_AN_OUTBOX: KnownError = {
  when: /does not have the specified index: unsent/,
  say: () =>
    'This table is not an outbox, or its index `unsent` was deleted: name the table that ' +
    '`outboxTableDefinition()` defines.',
};

/** Ends a text with a full stop: messages of databases lack it. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

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

export function nameOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return '';
  const { name, code } = thrown as { readonly name?: unknown; readonly code?: unknown };
  const shown = typeof name === 'string' ? name : '';
  return /^(Error|AggregateError|StoreError)$/.test(shown) && typeof code === 'string' ? code : shown;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
