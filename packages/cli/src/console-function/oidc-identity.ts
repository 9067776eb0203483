import type { IncomingHttpHeaders } from 'node:http';
import type { LoadBalancerEntrance } from './config.ts';
import { type Identity, identityOf, NotLetIn } from './identity.ts';
import { jwtIn, type PublicKeys } from './jwt.ts';

/** The header that a load balancer writes after it has signed a person in. It replaces one of the request. */
const HEADER = 'x-amzn-oidc-data';
const LONGEST_NAME = 124;

/**
 * Returns the person whom the load balancer signed in. Verifies the signature with the load balancer's public
 * key, and that this load balancer signed for this issuer and client, and when that expires. Throws
 * `NotLetIn` for anything else.
 */
export async function oidcIdentity(
  headers: IncomingHttpHeaders,
  entrance: LoadBalancerEntrance,
  { keys, now }: { readonly keys: PublicKeys; readonly now: () => number },
): Promise<Identity> {
  const given = headers[HEADER];
  if (typeof given !== 'string') throw new NotLetIn('no header');
  const { header, payload } = await jwtIn(given, keys);
  const { loadBalancerArn, issuer, clientId, claim, roles } = entrance;
  if (header['signer'] !== loadBalancerArn) throw new NotLetIn('another signer');
  if (header['iss'] !== issuer) throw new NotLetIn('another issuer');
  if (header['client'] !== clientId) throw new NotLetIn('another client');
  const { exp } = header;
  if (typeof exp !== 'number' || !(now() < exp * 1_000)) throw new NotLetIn('expired');
  const { sub, email, email_verified: isVerified } = payload;
  if (typeof sub !== 'string' || sub === '') throw new NotLetIn('no subject');
  const isTrusted = typeof email === 'string' && isVerified !== false && isVerified !== 'false';
  if (claim === 'email' && !isTrusted) throw new NotLetIn('the e-mail address is not verified');
  const name = isTrusted && email.length + sub.length < LONGEST_NAME ? `${email} (${sub})` : sub;
  return identityOf(name, valuesOf(payload[claim]), roles);
}

/** Returns the values of a claim: a list of texts, or one text. */
function valuesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
