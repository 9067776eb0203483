import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/**
 * Returns the claims of a request's JSON Web Token in the form of API Gateway, in which all are texts. The
 * signature, the issuer and the time are not verified. Returns undefined without a token.
 *
 * @param source Where the token is, such as `$request.header.Authorization`.
 */
export function tokenClaims(
  source: string,
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  query: string,
): Readonly<Record<string, string>> | undefined {
  const [, place, name = ''] = /^\$request\.(header|querystring)\.(.+)$/.exec(source) ?? [];
  const given =
    place === 'querystring'
      ? new URLSearchParams(query).get(name)
      : headersDistinct[name.toLowerCase()]?.[0]?.replace(/^Bearer +/i, '');
  const [, payload] = given?.split('.') ?? [];
  if (payload === undefined) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as unknown;
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined;
    return Object.fromEntries(Object.entries(claims).map(([claim, value]) => [claim, textOf(value)]));
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(' ')}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
