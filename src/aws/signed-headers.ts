import { builtIn } from '../base/built-in.ts';
import type { Service } from './service.ts';

const { createHmac, hash } = builtIn('node:crypto');

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface UnsignedRequest {
  /** The `Host` header, with the port if it is not the protocol's default. */
  readonly host: string;
  /** The service in the signature's scope. */
  readonly service: string;
  /** Such as `DynamoDB_20120810.PutItem`. */
  readonly target: string;
  readonly body: string;
  readonly userAgent: string;
  /** The version of the JSON protocol. Default 1.0. */
  readonly jsonVersion?: Service['jsonVersion'];
}

/** Signs a request with AWS Signature Version 4. `User-Agent` is unsigned, because proxies may change it. */
export function signedHeaders(
  { host, service, target, body, userAgent, jsonVersion = '1.0' }: UnsignedRequest,
  { credentials, region, time }: Pick<Scope, 'credentials' | 'region'> & { readonly time: Date },
): Record<string, string | number> {
  const { sessionToken } = credentials;
  const at = timestamp(time);
  const contentType = `application/x-amz-json-${jsonVersion}`;
  const length = Buffer.byteLength(body);
  const [token, nameOfToken] =
    sessionToken === undefined
      ? ['', '']
      : [`x-amz-security-token:${sessionToken.trim()}\n`, 'x-amz-security-token;'];
  const names = `content-length;content-type;host;x-amz-date;${nameOfToken}x-amz-target`;
  const canonicalHeaders =
    `content-length:${length}\ncontent-type:${contentType}\nhost:${host}\nx-amz-date:${at}\n` +
    `${token}x-amz-target:${target}\n`;
  const headers: Record<string, string | number> = {
    Host: host,
    'Content-Type': contentType,
    'Content-Length': length,
    'X-Amz-Target': target,
    'X-Amz-Date': at,
    'User-Agent': userAgent,
    Authorization: authorization(canonicalHeaders, names, body, { at, region, service, credentials }),
  };
  if (sessionToken !== undefined) headers['X-Amz-Security-Token'] = sessionToken;
  return headers;
}

export interface Scope {
  /** The time as `YYYYMMDDTHHMMSSZ`. */
  readonly at: string;
  readonly region: string;
  readonly service: string;
  readonly credentials: Credentials;
}

/**
 * Returns the `Authorization` header of a `POST` to `/`. Canonical headers are lines of lower-case names and
 * trimmed values, sorted by name; `names` are these names, separated by semicolons.
 */
export function authorization(
  canonicalHeaders: string,
  names: string,
  body: string,
  { at, region, service, credentials }: Scope,
): string {
  const day = at.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const canonicalRequest = `POST\n/\n\n${canonicalHeaders}\n${names}\n${hash('sha256', body)}`;
  const key = signingKey(credentials.secretAccessKey, day, region, service);
  const toSign = `AWS4-HMAC-SHA256\n${at}\n${scope}\n${hash('sha256', canonicalRequest)}`;
  const signature = hmac(key, toSign).toString('hex');
  const credential = `${credentials.accessKeyId}/${scope}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
}

const keys = new Map<string, Buffer>();
/** A process sends to few services and Regions; old days and credentials are of no use. */
const MOST_KEYS = 8;

/** Returns the key of a day, Region and service. Caches the last few, which nearly all requests share. */
function signingKey(secret: string, day: string, region: string, service: string): Buffer {
  const of = `${secret}\n${day}\n${region}\n${service}`;
  let key = keys.get(of);
  if (key === undefined) {
    key = [day, region, service, 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secret}`));
    if (keys.size === MOST_KEYS) keys.clear();
    keys.set(of, key);
  }
  return key;
}

let lastSecond: { readonly second: number; readonly text: string } | undefined;

/** Returns the time as `YYYYMMDDTHHMMSSZ`. Caches the last second, which many requests share. */
function timestamp(time: Date): string {
  const second = Math.floor(time.getTime() / 1_000);
  if (lastSecond?.second !== second) {
    lastSecond = { second, text: time.toISOString().replaceAll(/[-:]|\.\d{3}/g, '') };
  }
  return lastSecond.text;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
