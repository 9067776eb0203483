/** A service of AWS that speaks JSON over HTTP, as far as its requests differ from another's. */
export interface Service {
  /** As people know it, for errors. */
  readonly title: string;
  /** Of the signature's scope, and of the names of its endpoints. */
  readonly name: 'dynamodb' | 'sqs';
  /** What stands before the operation in `X-Amz-Target`. */
  readonly target: string;
  /** The delay after the first failure, in milliseconds; it doubles with each. */
  readonly firstDelayMs: number;
  /** Sendings of one request, where the environment says nothing. */
  readonly maxAttempts: number;
  /** Members of its exceptions that say more than their message. Others could pass for what an error has itself. */
  readonly tellingMembers: readonly string[];
  /** The error of a request that got no answer: within `limitMs`, or before its caller gave up. */
  unanswered(why: 'given-up' | 'silent', cause?: Error, limitMs?: number): Error;
  /** The error where nobody had credentials in time, and nothing was sent. */
  noCredentials(): Error;
}
