import { isObject } from '../base/is-object.ts';

/**
 * Errors of the whole target: permissions, credentials, encryption keys, targets that do not exist, answers
 * of something that is no target, and packages that are not installed.
 */
const OF_THE_TARGET = new RegExp(
  [
    'AccessDenied|Authorization|NotAuthorized(?!ForDetailType)|OptInRequired|InvalidAccountId',
    'Signature|ClientToken|UnrecognizedClient|MissingAuthentication|InvalidSecurity|Expired|Credentials',
    'NonExistent|DoesNotExist|NotFound|InvalidAddress|Kms|KMS',
    'UnexpectedAnswer|CertificateError|ConfigurationError|BatchlatchError',
  ].join('|'),
);

/**
 * Whether a message was refused for a reason that concerns every message, such as a missing permission. It is
 * not parked: once somebody has corrected the reason, it is sent.
 */
export function isOfTarget(error: Error): boolean {
  const { cause } = error;
  const name = isObject(cause) && 'name' in cause ? cause.name : error.name;
  return typeof name === 'string' && OF_THE_TARGET.test(name);
}
