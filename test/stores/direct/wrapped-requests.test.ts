import { Buffer } from 'node:buffer';
import type { ClientRequest, RequestOptions } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CREDENTIALS, direct, getItem } from '../../support/direct-transport.ts';
import { faultyServer, refuses, succeeds } from '../../support/faulty-server.ts';
import { checkSignature } from '../../support/request-signature.ts';

/** `http.request` as the direct transport calls it, and as an APM agent passes it on. */
type Request = (options: RequestOptions) => ClientRequest;
type Headers = Record<string, string>;

const TRACE = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x-trace-id': '1' };

/** The ways in which agents add their headers. */
const AGENTS: readonly (readonly [string, (request: Request) => Request])[] = [
  [
    'spreads the headers into a new object',
    (request) => (options) => request({ ...options, headers: { ...(options.headers as Headers), ...TRACE } }),
  ],
  [
    'assigns the headers to an object without a prototype',
    (request) => (options) =>
      request({ ...options, headers: Object.assign(Object.create(null), options.headers, TRACE) as Headers }),
  ],
  [
    'writes into the headers that it was given',
    (request) => (options) => {
      Object.assign(options.headers as Headers, TRACE);
      return request(options);
    },
  ],
  [
    'sets its headers on the request that was begun',
    (request) => (options) => {
      const begun = request(options);
      for (const [name, value] of Object.entries(TRACE)) begun.setHeader(name, value);
      return begun;
    },
  ],
];

describe('A request of the direct transport beside an agent', () => {
  const server = faultyServer();
  const http = process.getBuiltinModule('node:http');
  const { request } = http;
  afterEach(() => {
    http.request = request;
  });

  it.each(AGENTS)('that %s arrives once, whole and signed', async (_how, wrapped) => {
    http.request = wrapped(request) as typeof request;
    await getItem(direct(server.endpoint));
    const [arrival, ...others] = server.arrivals;
    expect(others).toEqual([]);
    const { headers = {}, body = '' } = arrival ?? {};
    expect(headers).toEqual({
      ...TRACE,
      authorization: expect.any(String),
      connection: 'keep-alive',
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/x-amz-json-1.0',
      host: new URL(server.endpoint).host,
      'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
      'x-amz-security-token': CREDENTIALS.sessionToken,
      'user-agent': 'test',
      'x-amz-target': 'DynamoDB_20120810.GetItem',
    });
    expect(JSON.parse(body)).toEqual({ TableName: 'claims', Key: { id: { S: 'k' } } });
    checkSignature({ headers, body }, CREDENTIALS.secretAccessKey);
  });

  it.each(AGENTS)('that %s is signed anew when it is sent again', async (_how, wrapped) => {
    http.request = wrapped(request) as typeof request;
    server.answers(refuses('ThrottlingException'), succeeds());
    await getItem(direct(server.endpoint));
    expect(server.arrivals).toHaveLength(2);
    for (const arrival of server.arrivals) checkSignature(arrival, CREDENTIALS.secretAccessKey);
  });
});

describe('The check of a signature', () => {
  const server = faultyServer();

  it('refuses a body, a signed header or a key that differs, and an unsigned header of AWS', async () => {
    await getItem(direct(server.endpoint));
    const { headers = {}, body = '' } = server.arrivals[0] ?? {};
    const { secretAccessKey } = CREDENTIALS;
    const mismatch = 'The signature does not match the request';
    expect(() => checkSignature({ headers, body: `${body} ` }, secretAccessKey)).toThrow(mismatch);
    expect(() => checkSignature({ headers: { ...headers, host: 'other' }, body }, secretAccessKey)).toThrow(
      mismatch,
    );
    expect(() => checkSignature({ headers, body }, `${secretAccessKey}.`)).toThrow(mismatch);
    const more = { ...headers, 'x-amz-meta': 'x' };
    expect(() => checkSignature({ headers: more, body }, secretAccessKey)).toThrow(
      'Expected signed headers, got x-amz-meta unsigned',
    );
    expect(() => checkSignature({ headers: {}, body }, secretAccessKey)).toThrow(mismatch);
  });
});
