/** The differences of an AWS service that speaks JSON over HTTP. */
export interface Service {
  /** The display name, for errors. */
  readonly title: string;
  /** The name in signatures and endpoints. */
  readonly name: 'dynamodb' | 'sqs' | 'events';
  /** The name in `AWS_ENDPOINT_URL_…`, if it is another. */
  readonly settingName?: string;
  /** The version of the JSON protocol. Default 1.0. */
  readonly jsonVersion?: '1.0' | '1.1';
  /** The prefix of the operation in `X-Amz-Target`. */
  readonly target: string;
  /** The delay after the first failure, in milliseconds. It doubles with each. */
  readonly firstDelayMs: number;
  /** The default number of tries for a request. */
  readonly maxAttempts: number;
  /** Members of exceptions to copy to errors. Others could collide with an error's own members. */
  readonly tellingMembers: readonly string[];
  /** Returns the error of a request without an answer, within `limitMs` or before its caller gave up. */
  unanswered(why: 'given-up' | 'silent', cause?: Error, limitMs?: number): Error;
  /** Returns the error if no credentials were found in time. Nothing was sent. */
  noCredentials(): Error;
}
