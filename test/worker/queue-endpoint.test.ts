import { SQS } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { endpointOfQueue } from '../../src/aws/queue-endpoint.ts';

const QUEUE = '/123456789012/orders';

describe('The endpoint of a queue', () => {
  it.each([
    ['https://sqs.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['https://sqs.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['https://sqs-fips.us-east-1.amazonaws.com', 'us-east-1'],
    ['https://sqs.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['https://sqs.eusc-de-east-1.amazonaws.eu', 'eusc-de-east-1'],
    ['https://sqs.us-isob-east-1.sc2s.sgov.gov', 'us-isob-east-1'],
    ['https://sqs.ap-southeast-4.api.aws', 'ap-southeast-4'],
    ['https://sqs-fips.us-west-2.api.aws', 'us-west-2'],
    ['https://sqs.cn-northwest-1.api.amazonwebservices.com.cn', 'cn-northwest-1'],
    ['https://queue.amazonaws.com', 'us-east-1'],
    ['https://eu-central-1.queue.amazonaws.com', 'eu-central-1'],
    ['https://cn-north-1.queue.amazonaws.com.cn', 'cn-north-1'],
    ['https://vpce-0a1b-2c3d.sqs.eu-west-1.vpce.amazonaws.com', 'eu-west-1'],
    ['http://127.0.0.1:4566', undefined],
    ['http://[::1]:4566', undefined],
    ['http://localhost:9324', undefined],
    ['http://sqs.us-east-1.localhost.localstack.cloud:4566', undefined],
    ['https://sqs.eu-west-1.amazonaws.com.example.org', undefined],
    ['https://sqs.eu-west-1.example.org', undefined],
    ['https://lambda.eu-west-1.amazonaws.com', undefined],
    ['https://sqs.eu-west-1.evilamazonaws.com', undefined],
  ])('of %s is its origin, in region %s', (origin, region) => {
    const endpoint = endpointOfQueue(`${origin}${QUEUE}`);
    expect([endpoint.url.href, endpoint.region]).toEqual([`${origin}/`, region]);
  });

  it('is this machine for names below localhost, which not every resolver knows', () => {
    const endpoint = endpointOfQueue(`http://sqs.eu-west-1.localhost:4566${QUEUE}`);
    expect([endpoint.url.href, endpoint.region]).toEqual(['http://localhost:4566/', 'eu-west-1']);
  });

  it('has nothing of a name and a password in the URL', () => {
    expect(endpointOfQueue(`https://a:b@queues.example:8443${QUEUE}?c=d#e`).url.href).toBe(
      'https://queues.example:8443/',
    );
  });

  it.each(['file:///queue', 'arn:aws:sqs:eu-west-1:123456789012:orders'])('is not that of %s', (queueUrl) => {
    expect(() => endpointOfQueue(queueUrl)).toThrow(
      expect.objectContaining({ code: 'BATCHLATCH_CONFIGURATION' }),
    );
  });
});

describe("AWS's SDK", () => {
  const before = { ...process.env };
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it.each([{}, { AWS_ENDPOINT_URL: 'http://a.example' }, { AWS_ENDPOINT_URL_SQS: 'http://b.example' }])(
    'takes the origin too, with %j',
    async (more) => {
      Object.assign(process.env, more);
      const hosts: string[] = [];
      const warn = (): void => undefined;
      const sqs = new SQS({
        region: 'us-east-1',
        logger: { warn, info: warn, debug: warn, error: warn },
        requestHandler: {
          handle: ({ protocol, hostname }: { protocol: string; hostname: string }) => {
            hosts.push(`${protocol}//${hostname}`);
            return Promise.reject(new Error('enough'));
          },
        } as never,
        maxAttempts: 1,
      });
      const queueUrl = `https://eu-central-1.queue.amazonaws.com${QUEUE}`;
      await expect(sqs.receiveMessage({ QueueUrl: queueUrl })).rejects.toThrow('enough');
      expect(`${hosts[0]}/`).toBe(endpointOfQueue(queueUrl).url.href);
    },
  );
});
