import { describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { CREDENTIALS, direct, errorOf, getItem, hastyClock } from '../../support/direct-transport.ts';
import { answers, faultyServer, hangsUp, refuses, resets, succeeds } from '../../support/faulty-server.ts';

const httpDate = (ms: number): Record<string, string> => ({ date: new Date(ms).toUTCString() });

describe('A request over the direct transport', () => {
  const server = faultyServer();

  it.each([
    'ThrottlingException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'TransactionInProgressException',
  ])('that meets %s is sent again after up to a second, two and four', async (name) => {
    const clock = hastyClock();
    server.answers(refuses(name), refuses(name), refuses(name), succeeds());
    expect(await getItem(direct(server.endpoint, { clock }))).toHaveProperty('Item');
    expect(clock.delays).toEqual([500, 1_000, 2_000]);
  });

  it.each([
    ['InternalServerError', refuses('InternalServerError', 500)],
    ['status 503', answers(503, {})],
    ['status 504', answers(504, {})],
    ['RequestTimeout', refuses('RequestTimeout', 408)],
    ['a signature that expired on its way', answers(403, signatureExpired())],
    ['a connection that ends', hangsUp],
    ['a reset', resets],
  ])('that meets %s is sent again after up to 25 ms, 50 and 100', async (_what, fault) => {
    const clock = hastyClock();
    server.answers(fault, fault, fault, succeeds());
    expect(await getItem(direct(server.endpoint, { clock }))).toHaveProperty('Item');
    expect(clock.delays).toEqual([12.5, 25, 50]);
  });

  it('waits as long as chance says, from nothing on', async () => {
    const clock = hastyClock();
    const chances = [0, 0.25, 0.999];
    server.answers(refuses('ThrottlingException'));
    await errorOf(getItem(direct(server.endpoint, { clock, random: () => chances.shift() ?? 0 })));
    expect(clock.delays).toEqual([500, 3_996]);
  });

  it.each([
    'ConditionalCheckFailedException',
    'ValidationException',
    'SerializationException',
    'ResourceNotFoundException',
    'AccessDeniedException',
    'UnrecognizedClientException',
    'ExpiredTokenException',
    'InvalidSignatureException',
    'TransactionCanceledException',
    'TransactionConflictException',
    'ItemCollectionSizeLimitExceededException',
    'UnknownOperationException',
    'IdempotentParameterMismatchException',
  ])('that meets %s is not sent again', async (name) => {
    server.answers(refuses(name));
    expect(await errorOf(getItem(direct(server.endpoint)))).toMatchObject({
      name,
      $metadata: { attempts: 1 },
    });
    expect(server.arrivals).toHaveLength(1);
  });

  it('says how often it was sent, whatever its last answer was', async () => {
    server.answers(hangsUp, refuses('ThrottlingException'), refuses('ConditionalCheckFailedException'));
    expect(await errorOf(getItem(direct(server.endpoint)))).toMatchObject({
      name: 'ConditionalCheckFailedException',
      $metadata: { attempts: 3 },
    });
  });

  it.each([1, 2, 6])('is sent %i times at most if that is what the environment says', async (maxAttempts) => {
    server.answers(refuses('ThrottlingException'));
    const error = await errorOf(getItem(direct(server.endpoint, { maxAttempts })));
    expect(error).toMatchObject({ $metadata: { attempts: maxAttempts } });
    expect(server.arrivals).toHaveLength(maxAttempts);
  });

  it('is signed anew each time, with the credentials of that moment', async () => {
    const keys = ['AKIDEXAMPLE0000000001', 'AKIDEXAMPLE0000000002'];
    server.answers(refuses('ThrottlingException'), succeeds());
    const credentials = async (): Promise<typeof CREDENTIALS> => ({
      ...CREDENTIALS,
      accessKeyId: keys.shift() ?? '',
    });
    await getItem(direct(server.endpoint, { credentials }));
    expect(
      server.arrivals.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]),
    ).toEqual(['AKIDEXAMPLE0000000001', 'AKIDEXAMPLE0000000002']);
  });

  it('that has no credentials is not sent, and fails with what their source says', async () => {
    const credentials = (): never => {
      throw Object.assign(new Error('none'), { name: 'CredentialsProviderError' });
    };
    expect(await errorOf(getItem(direct(server.endpoint, { credentials })))).toMatchObject({
      name: 'CredentialsProviderError',
    });
    expect(server.arrivals).toEqual([]);
  });

  it('that has no credentials any more fails with what became of it before', async () => {
    let asked = 0;
    const credentials = async (): Promise<typeof CREDENTIALS> => {
      asked += 1;
      if (asked > 1) throw new Error('none any more');
      return CREDENTIALS;
    };
    server.answers(hangsUp);
    expect(await errorOf(getItem(direct(server.endpoint, { credentials })))).toMatchObject({
      code: 'ECONNRESET',
      $metadata: { attempts: 1 },
    });
  });

  it('whose credentials no header can hold is an error about credentials', async () => {
    const credentials = (): typeof CREDENTIALS => ({
      ...CREDENTIALS,
      sessionToken: `${CREDENTIALS.sessionToken}\r\nX-Other: 1`,
    });
    expect(await errorOf(getItem(direct(server.endpoint, { credentials })))).toMatchObject({
      name: 'CredentialsProviderError',
      code: 'ERR_INVALID_CHAR',
    });
    expect(server.arrivals).toEqual([]);
  });

  it.each([
    [{ 'x-amz-retry-after': '700' }, 700],
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.1' }, 100],
    [{ date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' }, 3_000],
    [{ 'retry-after': '3600' }, 5_012.5],
    [{ 'x-amz-retry-after': '3' }, 12.5],
    [{ 'retry-after': '-5' }, 12.5],
    [{ 'retry-after': 'soon' }, 12.5],
  ])('comes again when %j says, within five seconds of its own time', async (headers, delay) => {
    const clock = hastyClock();
    server.answers(refuses('InternalServerError', 500, headers), succeeds());
    await getItem(direct(server.endpoint, { clock }));
    expect(clock.delays).toEqual([delay]);
  });

  it('is no longer sent again when too many had to be, until others succeed', async () => {
    const transport = direct(server.endpoint, { maxAttempts: 3 });
    server.answers(refuses('InternalServerError', 500));
    const attempts: unknown[] = [];
    for (let sent = 0; sent < 20; sent += 1) {
      const error = await errorOf(getItem(transport));
      attempts.push((error as { $metadata?: { attempts: number } }).$metadata?.attempts);
    }
    // 500 tokens at 14 a retry are 35 retries: 17 requests with two, and one with one.
    expect(attempts).toEqual([...Array<number>(17).fill(3), 2, 1, 1]);

    server.answers(succeeds());
    for (let sent = 0; sent < 14; sent += 1) await getItem(transport);
    server.answers(...Array<never>(server.arrivals.length), refuses('InternalServerError', 500), succeeds());
    expect(await getItem(transport)).toHaveProperty('Item');
  });

  it('ends its wait at once when nobody waits for it any more', async () => {
    const controller = new AbortController();
    server.answers(refuses('ThrottlingException'));
    const request = errorOf(getItem(direct(server.endpoint, { clock: manualClock() }), controller.signal));
    while (server.arrivals.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort();
    expect(await request).toMatchObject({ name: 'ThrottlingException', $metadata: { attempts: 1 } });
    expect(server.arrivals).toHaveLength(1);
  });
});

describe('A clock that is wrong', () => {
  const server = faultyServer();
  const HOUR_MS = 3_600_000;
  const signedAt = (index: number): number => {
    const text = String(server.arrivals[index]?.headers['x-amz-date']);
    return Date.parse(text.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  };

  it.each([
    'AuthFailure',
    'InvalidSignatureException',
    'RequestExpired',
    'RequestInTheFuture',
    'RequestTimeTooSkewed',
    'SignatureDoesNotMatch',
    'AccessDeniedException',
  ])("is corrected by the answer's date after %s, and the request sent again at once", async (name) => {
    const clock = hastyClock();
    clock.aheadMs = HOUR_MS;
    const transport = direct(server.endpoint, { clock });
    server.answers(refuses(name, 400, httpDate(Date.now())), succeeds(httpDate(Date.now())));
    expect(await getItem(transport)).toHaveProperty('Item');
    expect(clock.delays).toEqual([]);
    await getItem(transport);
    expect(server.arrivals).toHaveLength(3);
    expect(signedAt(0) - Date.now()).toBeGreaterThan(HOUR_MS - 60_000);
    for (const index of [1, 2]) expect(Math.abs(signedAt(index) - Date.now())).toBeLessThan(10_000);
  });

  it('has nothing to do with a refusal at a right time, nor with other refusals', async () => {
    const now = httpDate(Date.now());
    server.answers(refuses('InvalidSignatureException', 400, now));
    expect(await errorOf(getItem(direct(server.endpoint)))).toMatchObject({ $metadata: { attempts: 1 } });
    const clock = hastyClock();
    clock.aheadMs = HOUR_MS;
    server.answers(
      refuses('InvalidSignatureException', 400, now),
      refuses('ConditionalCheckFailedException', 400, now),
    );
    expect(await errorOf(getItem(direct(server.endpoint, { clock })))).toMatchObject({
      $metadata: { attempts: 1 },
    });
  });

  it('is corrected once: a refusal after that is final', async () => {
    const clock = hastyClock();
    clock.aheadMs = -HOUR_MS;
    server.answers(refuses('InvalidSignatureException', 400, httpDate(Date.now())));
    expect(await errorOf(getItem(direct(server.endpoint, { clock })))).toMatchObject({
      $metadata: { attempts: 2 },
    });
  });

  it('is noticed by any answer, before it is wrong by so much that it matters', async () => {
    const clock = hastyClock();
    clock.aheadMs = 60_000;
    const transport = direct(server.endpoint, { clock });
    server.answers(succeeds(httpDate(Date.now())));
    await getItem(transport);
    await getItem(transport);
    expect(Math.abs(signedAt(1) - Date.now())).toBeLessThan(10_000);
  });

  it.each([
    ['a cache kept the answer', { ...httpDate(Date.now() - HOUR_MS), age: '3600' }],
    ['the date is none', { date: 'yesterday' }],
  ])('is not corrected where %s', async (_what, headers) => {
    const transport = direct(server.endpoint);
    server.answers(succeeds(headers));
    await getItem(transport);
    await getItem(transport);
    expect(Math.abs(signedAt(1) - Date.now())).toBeLessThan(10_000);
  });

  it('is not corrected by an answer that lay somewhere, as in a process that was frozen', async () => {
    const clock = hastyClock();
    const transport = direct(server.endpoint, { clock });
    server.answers((response) => {
      const headers = httpDate(Date.now());
      clock.aheadMs = HOUR_MS; // the time in which the process stood still
      response.writeHead(200, headers);
      response.end('{}');
    }, succeeds());
    await getItem(transport);
    await getItem(transport);
    expect(signedAt(1) - Date.now()).toBeGreaterThan(HOUR_MS - 60_000);
  });
});

function signatureExpired(): object {
  return {
    __type: 'com.amazon.coral.service#InvalidSignatureException',
    message: 'Signature expired: 20260101T000000Z is now earlier than 20260101T000100Z',
  };
}
