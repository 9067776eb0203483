import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/tool-base/clock.ts';
import { queueMetricsOf } from '../../src/cli/console/queue-metrics.ts';
import { listenLocally } from '../../src/dev/emulators/listen-locally.ts';

const URLS = ['http://sqs/1/orders', 'http://sqs/1/orders-dead-letters'];
const NOW = Date.UTC(2026, 0, 10, 12);

describe('queueMetricsOf', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  async function asking(
    status: number,
    answer: unknown,
  ): Promise<{
    readonly ask: () => Promise<ReadonlyMap<string, unknown>>;
    readonly requests: { readonly target: unknown; readonly auth: string; readonly body: unknown }[];
  }> {
    const requests: { target: unknown; auth: string; body: unknown }[] = [];
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const { authorization = '', 'x-amz-target': target } = request.headers;
        requests.push({ target, auth: authorization, body: JSON.parse(text) });
        response
          .writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
          .end(JSON.stringify(answer));
      });
    });
    const port = await listenLocally(server);
    const place = {
      url: new URL(`http://127.0.0.1:${port}`),
      region: 'eu-west-1',
      credentials: async () => ({ accessKeyId: 'id', secretAccessKey: 'secret' }),
    };
    const ask = queueMetricsOf(place, URLS, { ...systemClock, now: () => NOW });
    return { ask: () => ask(new AbortController().signal), requests };
  }

  it('asks for both metrics of each queue in one signed request, and takes the newest values', async () => {
    const { ask, requests } = await asking(200, {
      MetricDataResults: [
        { Id: 'oldest0', Values: [90, 30] },
        { Id: 'noisy0', Values: [2] },
        { Id: 'oldest1', Values: [] },
      ],
    });
    expect(await ask()).toEqual(
      new Map([
        [URLS[0], { oldestAgeMs: 90_000, noisyGroups: 2 }],
        [URLS[1], {}],
      ]),
    );
    const [request] = requests;
    expect(request?.target).toBe('GraniteServiceVersion20100801.GetMetricData');
    expect(request?.auth).toMatch(
      /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-west-1\/monitoring\/aws4_request/,
    );
    expect(request?.body).toMatchObject({
      StartTime: NOW / 1_000 - 900,
      EndTime: NOW / 1_000,
      ScanBy: 'TimestampDescending',
    });
    const { MetricDataQueries: queries = [] } = (request?.body ?? {}) as { MetricDataQueries?: object[] };
    expect(queries).toHaveLength(4);
    expect(queries[2]).toEqual({
      Id: 'oldest1',
      MetricStat: {
        Metric: {
          Namespace: 'AWS/SQS',
          MetricName: 'ApproximateAgeOfOldestMessage',
          Dimensions: [{ Name: 'QueueName', Value: 'orders-dead-letters' }],
        },
        Period: 60,
        Stat: 'Maximum',
      },
    });
  });

  it('rejects where CloudWatch refuses', async () => {
    const { ask } = await asking(400, { __type: 'AccessDeniedException', message: 'not allowed' });
    await expect(ask()).rejects.toThrow('not allowed');
  });

  it('knows nothing where the answer is another', async () => {
    const { ask } = await asking(200, { MetricDataResults: 'none' });
    expect(await ask()).toEqual(new Map(URLS.map((url) => [url, {}])));
  });
});
