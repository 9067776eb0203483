import { isObject } from '../base/is-object.ts';

/** Errors of the whole target: permissions, credentials, encryption keys, and targets that do not exist. */
const OF_THE_TARGET =
  /AccessDenied|Authorization|NonExistent|DoesNotExist|NotFound|Kms|KMS|Signature|ClientToken|InvalidSecurity|Expired|Credentials|ConfigurationError|CertificateError|InvalidAddress/;

/**
 * Whether a message was refused for a reason that concerns every message, such as a missing permission. It is
 * not parked: once somebody has corrected the reason, it is sent.
 */
export function isOfTarget(error: Error): boolean {
  const { cause } = error;
  const name = isObject(cause) && 'name' in cause ? cause.name : error.name;
  return typeof name === 'string' && OF_THE_TARGET.test(name);
}
