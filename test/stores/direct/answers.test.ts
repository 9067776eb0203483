import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { toStoreError } from '../../../src/stores/dynamodb/failures.ts';
import { CREDENTIALS, direct, errorOf, getItem } from '../../support/direct-transport.ts';
import {
  answers,
  faultyServer,
  refuses,
  says,
  succeeds,
  writes,
  type Fault,
} from '../../support/faulty-server.ts';

const OUTPUT = { Item: { id: { S: 'stored' } } };
const checksumOf = (body: string): Record<string, string> => ({ 'x-amz-crc32': String(crc32(body)) });

describe('An answer over the direct transport', () => {
  const server = faultyServer();

  it("is DynamoDB's output, and its request was DynamoDB's JSON with a signature", async () => {
    expect(await getItem(direct(server.endpoint))).toEqual(OUTPUT);
    expect(server.arrivals).toMatchObject([
      {
        body: JSON.stringify({ TableName: 'claims', Key: { id: { S: 'k' } } }),
        headers: {
          host: new URL(server.endpoint).host,
          connection: 'keep-alive',
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'DynamoDB_20120810.GetItem',
          authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=.+, Signature=[0-9a-f]{64}$/),
        },
      },
    ]);
  });

  it('is read as UTF-8, whichever bytes its parts end with', async () => {
    const body = Buffer.from(JSON.stringify({ Item: { text: { S: 'ä€😀\u2028' } } }));
    const inParts: Fault = (response) => {
      response.writeHead(200, { 'x-amz-crc32': crc32(body) });
      let sent = 0;
      const next = (): void => {
        sent += 1;
        if (sent > body.length) response.end();
        else response.write(body.subarray(sent - 1, sent), () => setImmediate(next));
      };
      next();
    };
    server.answers(inParts);
    expect(await getItem(direct(server.endpoint))).toEqual({ Item: { text: { S: 'ä€😀\u2028' } } });
  });

  it.each([
    ['has another checksum than its header says', says(200, JSON.stringify(OUTPUT), checksumOf('{}'))],
    ['has a checksum that is no number', says(200, JSON.stringify(OUTPUT), { 'x-amz-crc32': 'none' })],
    ['is a refusal with another checksum', says(400, '{"__type":"#ValidationException"}', checksumOf('{}'))],
    ['is cut off before its length', writes('HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n{"Item":')],
    ['is cut off in a chunk', writes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"Item')],
    ['is cut off between chunks', writes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n')],
    ['is cut off in its headers', writes('HTTP/1.1 200 OK\r\ncontent-le')],
    ['is longer than its length says', writes('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n{"Item":{}}')],
    ['is empty', says(200, '')],
    ['is no JSON', says(200, '{"Item":')],
    ['is JSON that is no object', says(200, '[]')],
    ['is JSON null', says(200, 'null')],
    ['is not UTF-8', says(200, Buffer.from('{"Item":{"id":{"S":"\xE4"}}}', 'latin1'))],
    ['has another status of success', answers(206, OUTPUT)],
    ['is a page of a proxy, with status 200', says(200, '<html>Log in</html>')],
    ['is a page of a proxy, with status 502', says(502, '<html>Bad gateway</html>')],
    ['is no HTTP', writes('SSH-2.0-OpenSSH_9.2\r\n')],
    ['has headers without an end', writes(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(20_000)}`)],
    [
      'changes the protocol',
      writes('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])(
    'that %s is asked for again, and is an error that may pass if there is no other',
    async (_what, fault) => {
      server.answers(fault, fault, succeeds());
      expect(await getItem(direct(server.endpoint))).toEqual(OUTPUT);
      expect(server.arrivals).toHaveLength(3);

      server.answers(fault);
      const error = await errorOf(getItem(direct(server.endpoint)));
      expect(error).toMatchObject({ $metadata: { attempts: 4 } });
      expect(error.message).not.toMatch(/html|Item|SSH|xxx/);
      expect(toStoreError(error, 'claims')).toMatchObject({ isRetryable: true });
    },
  );

  it.each([
    ['is a page of a proxy, with status 403', says(403, '<html>Forbidden by policy</html>')],
    ['is a redirect', says(301, '', { location: 'https://example.com/' })],
    ['is a redirect with JSON', answers(307, OUTPUT, { location: 'https://example.com/' })],
    ['is empty, with status 400', says(400, '')],
  ])('that %s is final: nothing was done', async (_what, fault) => {
    server.answers(fault);
    const error = await errorOf(getItem(direct(server.endpoint)));
    expect(error).toMatchObject({
      name: 'UnexpectedAnswerError',
      $fault: 'client',
      $metadata: { attempts: 1 },
    });
    expect(error.message).not.toMatch(/html|example\.com/);
    expect(toStoreError(error, 'claims')).toMatchObject({ isRetryable: false });
    expect(server.arrivals).toHaveLength(1);
  });

  it('that goes on and on ends at a bound, with its connection', async () => {
    let written = 0;
    server.answers((response, socket) => {
      response.writeHead(200);
      const more = (): void => {
        if (socket.destroyed) return;
        written += 65_536;
        response.write(Buffer.alloc(65_536, ' '), () => setImmediate(more));
      };
      more();
    });
    const error = await errorOf(getItem(direct(server.endpoint, {}, { answerBytes: 1_000_000 })));
    expect(error).toMatchObject({
      name: 'UnexpectedAnswerError',
      message: expect.stringContaining('1000000'),
    });
    expect(toStoreError(error, 'claims')).toMatchObject({ isRetryable: true });
    expect(server.arrivals).toHaveLength(1);
    expect(written).toBeLessThan(20_000_000);
  });

  it("that refuses is DynamoDB's exception, with what it holds of rows", async () => {
    const more = {
      Item: { id: { S: 'k' } },
      CancellationReasons: [{ Code: 'None' }],
      Code: 'x',
      name: 'y',
      stack: 'z',
    };
    const headers = { 'x-amzn-requestid': 'REQUEST1' };
    server.answers(refuses('TransactionCanceledException', 400, headers, more));
    const error = await errorOf(getItem(direct(server.endpoint)));
    expect(error).toBeInstanceOf(Error);
    expect(Object.fromEntries(Object.entries(error))).toEqual({
      name: 'TransactionCanceledException',
      $fault: 'client',
      $metadata: { attempts: 1, httpStatusCode: 400, requestId: 'REQUEST1' },
      Item: more.Item,
      CancellationReasons: more.CancellationReasons,
    });
    expect(error.message).toBe('Because of TransactionCanceledException');
    expect(error.stack).toContain('answers.ts');
  });

  it.each([
    [{ __type: 'ns#Name', Message: 'why' }, {}, 'Name', 'why'],
    [{ __type: 'Name:http://x', message: 'why' }, {}, 'Name', 'why'],
    [{ code: 'Name', message: 'why' }, {}, 'Name', 'why'],
    [{ message: 'why' }, { 'x-amzn-errortype': 'ns#Name:http://x' }, 'Name', 'why'],
    [{}, {}, 'Unknown', 'UnknownError'],
    [{ __type: 7, message: { S: 'x' } }, {}, 'Unknown', 'UnknownError'],
    [{ __type: '\u001b[31m', message: 'why' }, {}, 'Unknown', 'why'],
  ])('that refuses with %j %j has a name and a message', async (body, headers, name, message) => {
    server.answers(answers(400, body, headers));
    expect(await errorOf(getItem(direct(server.endpoint)))).toMatchObject({ name, message });
  });

  it('that quotes the request does not give away what it was signed with', async () => {
    const quotes =
      (status: number, name: string): Fault =>
      (response, _socket, echo) => {
        response.writeHead(status, { 'x-amzn-requestid': JSON.parse(echo).headers.authorization });
        response.end(JSON.stringify({ __type: name, message: `should have been\n${echo}` }));
      };
    const quotesAsPage: Fault = (response, _socket, echo) => response.writeHead(200).end(echo.slice(1));
    const quotesAsHeader: Fault = (_response, socket, echo) =>
      socket.end(`HTTP/1.1 200 OK\r\n${echo}\r\n\r\n`);
    for (const fault of [
      quotes(400, 'InvalidSignatureException'),
      quotes(500, 'X'),
      quotesAsPage,
      quotesAsHeader,
    ]) {
      server.answers(fault);
      const error = await errorOf(getItem(direct(server.endpoint)));
      expect(error).toMatchObject({ $metadata: { attempts: expect.any(Number) } });
    }
  });

  it('that quotes the request gives away no credentials that have spaces around them', async () => {
    // The header arrives without them.
    const spaced = Object.entries(CREDENTIALS).map(([name, value]) => [name, `${value} `]);
    const credentials = Object.fromEntries(spaced) as typeof CREDENTIALS;
    server.answers((response, _socket, echo) => {
      response.writeHead(400);
      response.end(JSON.stringify({ __type: 'InvalidSignatureException', message: echo }));
    });
    const error = await errorOf(getItem(direct(server.endpoint, { credentials: () => credentials })));
    expect(error.name).toBe('InvalidSignatureException');
  });
});
