import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { serveLocally } from './serve-locally.ts';

/** A load balancer that signs, and the address of its public keys. */
export interface Signing {
  readonly address: string;
  /** The id of the key. The address has it under every id that begins so. */
  readonly kid: string;
  /** How many keys were asked for. */
  readonly asked: () => number;
  /** Signs a token as a load balancer does: ES256, with padded base64url. */
  token(header?: object, payload?: object): string;
  /** Signs with a key that the address does not have. */
  forgedToken(header?: object, payload?: object): string;
}

export const LOAD_BALANCER =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/tools/0123456789abcdef';
export const ISSUER = 'https://idp.example';
export const CLIENT = 'console-client';
/** The time of the tests, in epoch milliseconds. */
export const NOW = Date.UTC(2026, 10, 26, 12);
export const ANN = {
  sub: 'u-ann',
  email: 'ann@example.com',
  email_verified: true,
  groups: ['operators', 'staff'],
};

/** Serves the public key on the loopback interface during the tests of a `describe`. */
export function signing(): Signing {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  let asked = 0;
  const address = serveLocally((request, response) => {
    asked += 1;
    const isKnown = request.url?.startsWith(`/${kid}`) === true;
    response.writeHead(isKnown ? 200 : 403);
    response.end(isKnown ? own.publicKey.export({ type: 'spki', format: 'pem' }) : 'AccessDenied');
  });
  const tokenBy =
    ({ privateKey }: typeof own) =>
    (header: object = {}, payload: object = ANN): string => {
      const exp = NOW / 1_000 + 120;
      const head = { alg: 'ES256', kid, signer: LOAD_BALANCER, iss: ISSUER, client: CLIENT, exp, ...header };
      const signed = `${padded(JSON.stringify(head))}.${padded(JSON.stringify(payload))}`;
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${padded(signature)}`;
    };
  return {
    get address() {
      return address();
    },
    kid,
    asked: () => asked,
    token: tokenBy(own),
    forgedToken: tokenBy(other),
  };
}

function padded(content: string | Buffer): string {
  return Buffer.from(content).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
