import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cloudWatchLog } from '../../src/cloudwatch/cloudwatch-log.ts';
import { listenLocally } from '../../src/dev/emulators/listen-locally.ts';

const SEARCH = { text: '1f0c6a7b2d3e4f50', functionName: 'OrdersFunction', from: 1_000.4, until: 2_000.2 };

describe('a log in CloudWatch', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  /** Answers with these pages, one after the other. */
  async function logWith(pages: readonly object[], logGroup?: string, user = '') {
    const requests: { target: unknown; body: unknown }[] = [];
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        requests.push({ target: request.headers['x-amz-target'], body: JSON.parse(text) });
        const page = pages[requests.length - 1] ?? pages.at(-1);
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(page));
      });
    });
    const url = new URL(`http://${user}127.0.0.1:${await listenLocally(server)}`);
    const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'secret' });
    const read = cloudWatchLog({ url, region: 'eu-west-1', credentials }, logGroup);
    return { read: (search = SEARCH) => read(search, new AbortController().signal), requests };
  }

  it('is searched for lines with the text, page by page', async () => {
    const { read, requests } = await logWith([
      { events: [{ message: 'one' }], nextToken: 'more' },
      { events: [{ message: 'two' }, {}] },
    ]);
    expect(await read()).toEqual(['one', 'two']);
    const first = {
      logGroupName: '/aws/lambda/OrdersFunction',
      filterPattern: '"1f0c6a7b2d3e4f50"',
      startTime: 1_000,
      endTime: 2_001,
    };
    expect(requests).toEqual([
      { target: 'Logs_20140328.FilterLogEvents', body: first },
      { target: 'Logs_20140328.FilterLogEvents', body: { ...first, nextToken: 'more' } },
    ]);
  });

  it('is given up after 20 pages', async () => {
    const { read, requests } = await logWith([{ events: [], nextToken: 'more' }]);
    expect(await read()).toEqual([]);
    expect(requests).toHaveLength(20);
  });

  it('may be in another group', async () => {
    const { read, requests } = await logWith([{}], '/ecs/orders');
    await read({ ...SEARCH, functionName: undefined as never });
    expect(requests).toMatchObject([{ body: { logGroupName: '/ecs/orders' } }]);
  });

  it('may be at an endpoint whose URL has a password', async () => {
    const { read } = await logWith([{ events: [{ message: 'one' }] }], undefined, 'user:secret@');
    expect(await read()).toEqual(['one']);
  });

  it('has no lines for an answer that is `null`, as of another server', async () => {
    const { read } = await logWith([null as never]);
    expect(await read()).toEqual([]);
  });

  it('is not asked with a text that would be another pattern', async () => {
    const { read, requests } = await logWith([{}]);
    expect(await read({ ...SEARCH, text: 'a" || "' })).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('needs the name of the function or of the group', async () => {
    const { read } = await logWith([{}]);
    await expect(read({ ...SEARCH, functionName: 'a b' })).rejects.toThrow(/--log-group/);
  });
});
