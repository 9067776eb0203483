import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';

describe('Idempotency as middleware of Hono', () => {
  let claims: ClaimsOnThisMachine;
  let project: Project;
  beforeAll(async () => {
    claims = await startClaims();
    project = new Project('hono');
    await project.install();
  });
  afterAll(() => claims.stop());

  it('runs a route once for each key of a caller, and gives later requests the first response', async () => {
    const first = { key: 'k-1', token: 'ann', amount: 5 };
    const requests = [
      first,
      first,
      { ...first, token: 'bob' },
      { ...first, amount: 6 },
      { ...first, key: undefined },
      { ...first, key: 'k-2', token: undefined },
    ].map(httpEvent);
    const { answers } = await project.invoke('app.ts', requests, claims.env);
    const seen = (answers as Answer[]).map(({ statusCode, body, headers }) => [
      statusCode,
      (JSON.parse(body) as { paymentId?: string }).paymentId,
      headers['idempotency-replayed'],
    ]);
    expect(seen).toEqual([
      [201, 'payment-1', undefined],
      [201, 'payment-1', 'true'],
      [201, 'payment-2', undefined], // another caller
      [422, undefined, undefined], // another payment under the same key
      [400, undefined, undefined], // no key
      [403, undefined, undefined], // nobody
    ]);
  });

  it('has no errors of types', async () => {
    expect(await project.typeErrors()).toBe('');
  });
});

interface Answer {
  readonly statusCode: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Sent {
  readonly key: string | undefined;
  readonly token: string | undefined;
  readonly amount: number;
}

/** A request of an HTTP API, payload 2.0. */
function httpEvent({ key, token, amount }: Sent): unknown {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/payments',
    rawQueryString: '',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    requestContext: {
      domainName: 'api.example.com',
      http: {
        method: 'POST',
        path: '/payments',
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.1',
        userAgent: 'test',
      },
    },
    body: JSON.stringify({ amount }),
    isBase64Encoded: false,
  };
}
