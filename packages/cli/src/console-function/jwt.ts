import { Buffer } from 'node:buffer';
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { ApiError } from '../console/api-error.ts';
import { NotLetIn } from './identity.ts';

/** The public keys of a Region's load balancers, by their ids. */
export type PublicKeys = (id: string) => Promise<KeyObject>;

type Members = Readonly<Record<string, unknown>>;

/** In characters. Lambda passes headers of up to 1 MB. */
const LONGEST = 65_536;

/**
 * Verifies a token of a load balancer: signed by ES256 with one of its keys. Its base64url is padded, and the
 * padding is signed too. Throws `NotLetIn` for anything else.
 */
export async function jwtIn(
  token: string,
  keys: PublicKeys,
): Promise<{ readonly header: Members; readonly payload: Members }> {
  const [head = '', body = '', signature = '', ...more] = token.length > LONGEST ? [] : token.split('.');
  const header = membersIn(head);
  const { alg, kid } = header;
  if (more.length > 0 || alg !== 'ES256') throw new NotLetIn('not a token by ES256');
  if (typeof kid !== 'string' || !/^[\w-]{1,64}$/.test(kid)) throw new NotLetIn('no id of a key');
  const key = await keys(kid);
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new NotLetIn('another signature');
  return { header, payload: membersIn(body) };
}

function membersIn(text: string): Members {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Members;
  } catch {
    // It is no token.
  }
  throw new NotLetIn('not a token');
}

const MOST_KEYS = 20;
const WITHIN_MS = 3_000;

/** Fetches keys from an address, and keeps them: a load balancer seldom changes its key. */
export function publicKeysOf(address: string): PublicKeys {
  const known = new Map<string, KeyObject>();
  return async (id) => {
    const key = known.get(id) ?? (await fetchKey(`${address}/${id}`));
    known.set(id, key);
    const [oldest] = known.keys();
    if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest);
    return key;
  };
}

async function fetchKey(url: string): Promise<KeyObject> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS), redirect: 'error' });
  } catch (cause) {
    const error = new ApiError(503, 'no-keys', 'The keys of the load balancer cannot be read. Try again.');
    throw Object.assign(error, { cause });
  }
  if (!response.ok) throw new NotLetIn('no such key');
  try {
    const key = createPublicKey(await response.text());
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // It is no key.
  }
  throw new NotLetIn('not a key of ES256');
}

/** Returns the address of the public keys of the Region in which a load balancer is. */
export function publicKeysAddress(loadBalancerArn: string): string {
  const [, partition = '', , region = ''] = loadBalancerArn.split(':');
  if (partition === 'aws-us-gov') {
    return `https://s3-${region}.amazonaws.com/aws-elb-public-keys-prod-${region}`;
  }
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://public-keys.auth.elb.${region}.${domain}`;
}
