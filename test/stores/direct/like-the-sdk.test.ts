import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { sdkTransport } from '../../../src/stores/dynamodb/sdk/sdk-transport.ts';
import { CREDENTIALS, direct, errorOf, getItem } from '../../support/direct-transport.ts';
import { answers, type Fault, faultyServer, refuses } from '../../support/faulty-server.ts';

/** The same request, refused the same way, over both transports: a new SDK with other rules is seen here. */
describe("The direct transport does as AWS's SDK does", () => {
  const server = faultyServer();
  const chance = jest.spyOn(Math, 'random').mockReturnValue(0); // the SDK's waits come from it
  const clients: DynamoDBClient[] = [];
  afterAll(() => {
    chance.mockRestore();
    for (const client of clients) client.destroy();
  });

  const bySdk = async (): Promise<Error> => {
    const client = new DynamoDBClient({
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: { ...CREDENTIALS }, // it writes into them
    });
    clients.push(client);
    return getItem(sdkTransport(client)).then(String, (error: unknown) => error) as Promise<Error>;
  };
  const seen = (error: Error): object => {
    const { name, message, $fault, $metadata, Item, CancellationReasons } = error as unknown as Record<
      string,
      Record<string, unknown>
    >;
    const { attempts, httpStatusCode, requestId } = $metadata ?? {};
    return { name, message, $fault, Item, CancellationReasons, attempts, httpStatusCode, requestId };
  };
  const expectTheSame = async (fault: Fault): Promise<void> => {
    server.answers(fault);
    const sentBefore = server.arrivals.length;
    const expected = await bySdk();
    const sentBySdk = server.arrivals.length - sentBefore;
    const error = await errorOf(getItem(direct(server.endpoint, { random: () => 0 })));
    expect(seen(error)).toEqual(seen(expected));
    expect(server.arrivals).toHaveLength(sentBefore + 2 * sentBySdk);
  };

  const item = { Item: { id: { S: 'k' }, list: { L: [{ N: '1' }] } } };
  const reasons = { CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', ...item }] };
  it.each([
    ['ConditionalCheckFailedException', 400, item],
    ['TransactionCanceledException', 400, reasons],
    ['ValidationException', 400, {}],
    ['SerializationException', 400, {}],
    ['ResourceNotFoundException', 400, {}],
    ['UnknownOperationException', 400, {}],
    ['DuplicateItemException', 400, {}],
    ['IdempotentParameterMismatchException', 400, {}],
    ['ItemCollectionSizeLimitExceededException', 400, {}],
    ['TransactionConflictException', 400, {}],
    ['TransactionInProgressException', 400, {}],
    ['ReplicatedWriteConflictException', 400, {}],
    ['AccessDeniedException', 400, {}],
    ['UnrecognizedClientException', 400, {}],
    ['ExpiredTokenException', 400, {}],
    ['InvalidSignatureException', 400, {}],
    ['MissingAuthenticationTokenException', 400, {}],
    ['IncompleteSignatureException', 400, {}],
    ['RequestExpired', 400, {}],
    ['ProvisionedThroughputExceededException', 400, {}],
    ['RequestLimitExceeded', 400, {}],
    ['ThrottlingException', 400, {}],
    ['Throttling', 400, {}],
    ['ThrottledException', 400, {}],
    ['SlowDown', 503, {}],
    ['LimitExceededException', 400, {}],
    ['TooManyRequestsException', 400, {}],
    ['BandwidthLimitExceeded', 509, {}],
    ['PriorRequestNotComplete', 400, {}],
    ['RequestTimeout', 400, {}],
    ['RequestTimeoutException', 400, {}],
    ['InternalServerError', 500, {}],
    ['ServiceUnavailable', 503, {}],
  ])('where DynamoDB says %s with status %i', async (name, status, more) => {
    await expectTheSame(refuses(name, status, { 'x-amzn-requestid': 'REQUEST1' }, more));
  });

  it.each([400, 401, 403, 404, 408, 409, 413, 418, 429, 500, 501, 502, 503, 504, 505, 509, 599])(
    'where an error nobody knows has status %i',
    async (status) => {
      await expectTheSame(refuses('SomethingElse', status));
    },
  );

  it('where an error says nothing of itself', async () => {
    await expectTheSame(answers(400, {}));
    await expectTheSame(answers(500, {}));
  });
});
