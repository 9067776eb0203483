import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EmulatedQueue, emulatedQueues } from '../../../../test/support/emulated-queues.ts';
import { until } from '../../../../test/support/until.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

describe('send', () => {
  const queues = emulatedQueues();
  let queue: EmulatedQueue;
  let folder: string;
  let endpoint: string;
  beforeAll(async () => {
    queue = await queues.create();
    const { protocol, hostname, port } = (await queues.sqs.config.endpoint?.()) ?? {};
    endpoint = `${protocol}//${hostname}:${port}`;
    folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-send-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const send = (args: readonly string[], how: Terminal = {}): Promise<Ended> =>
    runCommand(['send', ...args], {
      ...how,
      env: { AWS_ENDPOINT_URL_SQS: endpoint, ...how.env },
    });

  /** The bodies of all messages of a queue; they are gone then. */
  async function taken({ queueUrl, receive }: EmulatedQueue): Promise<string[]> {
    const bodies: string[] = [];
    for (;;) {
      const { Records } = await receive();
      if (Records.length === 0) return bodies;
      bodies.push(...Records.map(({ body }) => body));
      await queues.sqs.deleteMessageBatch({
        QueueUrl: queueUrl,
        Entries: Records.map(({ receiptHandle }, index) => ({
          Id: String(index),
          ReceiptHandle: receiptHandle,
        })),
      });
    }
  }

  const linesOf = (count: number, line: (index: number) => object): string =>
    Array.from({ length: count }, (_, index) => `${JSON.stringify(line(index))}\n`).join('');

  it('sends each line as it is', async () => {
    const file = path.join(folder, 'orders.jsonl');
    const exact = '{ "n": 12345678901234567890 }';
    await writeFile(file, `${linesOf(24, (id) => ({ id }))}\n${exact}\n"a text"`);
    const name = queue.queueUrl.split('/').at(-1) ?? '';
    const ended = await send([file, '--queue', name]);
    expect(ended).toEqual({ status: 0, out: `26 messages were sent to ${name}.\n`, err: '' });
    const bodies = await taken(queue);
    expect(bodies).toHaveLength(26);
    expect(bodies).toEqual(expect.arrayContaining(['{"id":0}', '{"id":23}', exact, 'a text']));
  });

  it('tells the lines that cannot be sent, and sends the others', async () => {
    const input = '{"id":1}\nnot json\n{"id":2}\n""\n"\\u0000"\n';
    const { status, out, err } = await send(['-', '--queue', queue.queueUrl], { input });
    expect(status).toBe(1);
    expect(out).toMatch(/^2 messages were sent to .*, 3 lines not\.\n$/);
    expect(err.split('\n')).toEqual([
      'standard input:2 is not JSON; lines that are plain texts need --text',
      'standard input:4 is an empty text, which SQS refuses: leave it out',
      'standard input:5 has a control character, which SQS refuses: remove it',
      '',
    ]);
    expect(await taken(queue)).toEqual(['{"id":1}', '{"id":2}']);
    const json = await send(['-', '--queue-url', queue.queueUrl, '--json'], { input });
    expect(json.status).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      read: 5,
      sent: 2,
      failed: 3,
      requests: 1,
      isWhole: true,
      failures: [{ line: 2, code: 'invalid' }, { line: 4 }, { line: 5 }],
    });
    await taken(queue);
  });

  it('sends texts', async () => {
    await send(['-', '--queue-url', queue.queueUrl, '--text'], { input: 'one\r\n two\n' });
    expect((await taken(queue)).sort()).toEqual([' two', 'one']);
  });

  it('keeps the order of each message group, and sends nothing twice to a FIFO queue', async () => {
    const fifo = await queues.create({ fifo: true });
    const input = linesOf(60, (index) => ({ customer: { id: `c${index % 3}` }, index }));
    const args = ['-', '--queue', fifo.queueUrl, '--group-key', 'customer.id'];
    for (const _ of [1, 2]) expect(await send(args, { input })).toMatchObject({ status: 0 });
    const bodies = (await taken(fifo)).map(
      (body) => JSON.parse(body) as { customer: { id: string }; index: number },
    );
    expect(bodies).toHaveLength(60);
    for (const group of ['c0', 'c1', 'c2']) {
      const indexes = bodies.filter(({ customer }) => customer.id === group).map(({ index }) => index);
      expect(indexes).toEqual([...indexes].sort((one, other) => one - other));
    }
  });

  it('takes deduplication ids from the bodies', async () => {
    const fifo = await queues.create({ fifo: true });
    const input = '{"id":1,"at":1}\n{"id":1,"at":2}\n{"id":2}\n{}\n';
    const ended = await send(['-', '--queue', fifo.queueUrl, '--group-id', 'all', '--dedup-key', 'id'], {
      input,
    });
    expect(ended.status).toBe(1);
    expect(ended.err).toContain('standard input:4 has no text or number at id');
    expect(await taken(fifo)).toEqual(['{"id":1,"at":1}', '{"id":2}']);
  });

  it('takes no id from a number beyond 2^53, which JavaScript rounds: two orders would have one id', async () => {
    const fifo = await queues.create({ fifo: true });
    const input =
      '{"id":9007199254740993}\n{"id":9007199254740992}\n{"id":"9007199254740993"}\n{"id":9007199254740991}';
    const ended = await send(['-', '--queue', fifo.queueUrl, '--group-id', 'all', '--dedup-key', 'id'], {
      input,
    });
    expect(ended.status).toBe(1);
    for (const line of [1, 2]) {
      expect(ended.err).toContain(
        `standard input:${line} has a number beyond 2^53 at id for its deduplication id`,
      );
    }
    expect(await taken(fifo)).toEqual(['{"id":"9007199254740993"}', '{"id":9007199254740991}']);
  });

  it('puts as much into a request as SQS takes', async () => {
    const input = linesOf(8, (id) => ({ id, text: 'x'.repeat(300_000) }));
    const ended = await send(['-', '--queue', queue.queueUrl, '--json'], { input });
    expect(JSON.parse(ended.out)).toMatchObject({ sent: 8, requests: 3 });
    expect(await taken(queue)).toHaveLength(8);
    const long = await send(['-', '--queue', queue.queueUrl], { input: `"${'x'.repeat(1_048_577)}"\n{}` });
    expect(long.err).toContain('standard input:1 is longer than 1,048,576 bytes');
    expect(await taken(queue)).toEqual(['{}']);
  });

  it('sends nothing in a dry run, and looks at every line', async () => {
    const ended = await send(['-', '--queue', 'orders', '--dry-run'], {
      input: '{}\nx\n',
      env: { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9' },
    });
    expect(ended).toMatchObject({ status: 1, out: '1 message would be sent to orders, 1 line not.\n' });
    expect(ended.err).toContain('standard input:2 is not JSON');
  });

  it('is no faster than --rate', async () => {
    const startedAt = performance.now();
    await send(['-', '--queue', queue.queueUrl, '--rate', '50'], { input: linesOf(30, (id) => ({ id })) });
    expect(performance.now() - startedAt).toBeGreaterThan(350);
    expect(await taken(queue)).toHaveLength(30);
  });

  it('does not wait for a full request where lines come one by one, and ends with Ctrl-C', async () => {
    const stopping = new AbortController();
    async function* input(): AsyncGenerator<string> {
      yield '{"id":1}\n';
      await new Promise(() => undefined);
    }
    const running = send(['-', '--queue', queue.queueUrl], {
      chunks: input(),
      signal: stopping.signal,
    });
    const bodies: string[] = [];
    await until('the line is sent', async () => bodies.push(...(await taken(queue))) > 0);
    stopping.abort();
    const ended = await running;
    expect(ended).toMatchObject({ status: 130, out: expect.stringMatching(/^1 message was sent/) });
    expect(ended.err).toContain('Sending ended after line 1');
  });

  it('shows how far it is on a terminal', async () => {
    const file = path.join(folder, 'ten.jsonl');
    await writeFile(
      file,
      linesOf(10, (id) => ({ id })),
    );
    const { err } = await send([file, '--queue', queue.queueUrl], { terminal: true });
    expect(err).toMatch(/0 % · 0 sent/);
    await taken(queue);
  });

  describe('to a queue by its logical id', () => {
    const id = `Orders${Date.now()}`;
    beforeAll(async () => {
      for (const suffix of ['', '.fifo']) {
        await queues.sqs.createQueue({
          QueueName: `shop-${id}${suffix}`,
          ...(suffix !== '' && { Attributes: { FifoQueue: 'true' } }),
          tags: { 'aws:cloudformation:logical-id': `${id}${suffix === '' ? '' : 'InOrder'}` },
        });
      }
    });

    it('finds what `dev` has made', async () => {
      const ended = await send(['-', '--queue', id], { input: '{}' });
      expect(ended).toEqual({ status: 0, out: `1 message was sent to shop-${id}.\n`, err: '' });
      const fifo = await send(['-', '--queue', `${id}InOrder`, '--group-key', 'a', '--dedup-key', 'a'], {
        input: '{"a":1}\n{"a":1}\n',
      });
      expect(fifo).toMatchObject({ status: 0, out: `2 messages were sent to shop-${id}.fifo.\n` });
    });

    it('refuses what does not fit to it before anything is sent', async () => {
      const grouped = await send(['-', '--queue', `${id}InOrder`], { input: '{}' });
      expect(grouped).toMatchObject({ status: 2, err: expect.stringContaining('have a group') });
      const dedup = await send(['-', '--queue', id, '--dedup-id', 'a'], { input: '{}' });
      expect(dedup).toMatchObject({ status: 2, err: expect.stringContaining('Only FIFO queues') });
    });

    it('finds its name in a template, and takes what is none of its ids as a name', async () => {
      const file = path.join(folder, 'template.yaml');
      const Properties = `{ QueueName: shop-${id} }`;
      await writeFile(
        file,
        `Resources:\n  Elsewhere: { Type: AWS::SQS::Queue, Properties: ${Properties} }\n`,
      );
      for (const queueName of ['Elsewhere', `shop-${id}`]) {
        const ended = await send(['-', '--queue', queueName, '-t', file], { input: '{}' });
        expect(ended).toMatchObject({ status: 0, out: `1 message was sent to shop-${id}.\n` });
      }
    });

    it('says that there is no such queue where there is none', async () => {
      const ended = await send(['-', '--queue', `${id}Nowhere`], { input: '{}' });
      expect(ended).toMatchObject({ status: 1, err: expect.stringContaining('There is no such queue') });
    });
  });

  it('ends where no line can be sent', async () => {
    const url = `${endpoint}/000000000000/no-such-queue`;
    const ended = await send(['-', '--queue', url, '--concurrency', '2'], {
      input: linesOf(1_000, (id) => ({ id })),
    });
    expect(ended).toMatchObject({ status: 1 });
    expect(ended.out).toMatch(/^0 messages were sent to no-such-queue, \d{2} lines not\.\n$/);
    expect(ended.err).toMatch(
      /Sending ended after line \d{2}; no later line was sent\.\nError: There is no such queue/,
    );
  });

  it.each([
    ['no queue', ['-'], 'Name the queue: --queue-url URL or --queue NAME.'],
    ['no group', ['-', '--queue', 'q.fifo'], 'Messages of a FIFO queue have a group'],
    ['two groups', ['-', '--queue', 'q', '--group-id', 'a', '--group-key', 'b'], 'not both'],
    [
      'a delay of a FIFO queue',
      ['-', '--queue', 'q.fifo', '--group-id', 'a', '--delay', '5'],
      'leave --delay out',
    ],
    [
      'deduplication of a standard queue',
      ['-', '--queue-url', 'http://127.0.0.1:9/0/q', '--dedup-key', 'a'],
      'Only FIFO queues',
    ],
    ['the source of events', ['-', '--queue', 'q', '--source', 'shop'], 'add --bus NAME'],
    [
      'half of what a detail needs',
      ['-', '--bus', 'b', '--source', 'shop'],
      'both --source and --detail-type',
    ],
    ['a queue and a bus', ['-', '--bus', 'b', '--queue', 'q'], 'A bus takes no --queue'],
    ['a group of a bus', ['-', '--bus', 'b', '--group-key', 'a'], 'A bus takes no --group-key'],
    ['no template', ['-', '--queue', 'q', '-t', 'none.yaml'], 'none.yaml does not exist'],
    ['no file', [], "missing required argument 'file'"],
  ])('is refused with %s', async (_what, args, message) => {
    const { status, err } = await send(args);
    expect(status).toBe(2);
    expect(err).toContain(message);
  });
});
