import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { keyHash } from 'batchlatch/operations';
import { emulatorClient } from '../../../../test/support/claims-table.ts';
import { failedOrders, type FailedOrders } from '../../../../test/operations/failed-orders.ts';
import { runCli } from '../../src/cli/run.ts';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { claimsInStates, NOW } from './claims-in-states.ts';

const READS = ['claim_stats', 'doctor', 'explain_claim', 'list_claims', 'show_claim'];

/** A client of a server that runs as `batchlatch mcp` in this process. */
interface Session {
  readonly client: Client;
  /** Calls a tool and returns its JSON, or the text of its error. */
  call(name: string, args?: Record<string, unknown>): Promise<unknown>;
  /** Closes standard input, and returns the exit status of the command. */
  end(): Promise<number>;
}

describe('mcp', () => {
  const table = claimsInStates();
  const { make } = table;
  const sessions: Session[] = [];

  afterAll(() => Promise.all(sessions.map(({ end }) => end())));

  const endpoint = (): string[] => ['--table', 'claims', '--endpoint-url', table.endpoint];

  async function serve(
    args: readonly string[],
    { signal, env = {} }: { signal?: AbortSignal; env?: Record<string, string> } = {},
  ): Promise<Session> {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const status = runCli(['mcp', ...args], {
      stdin,
      stdout,
      stderr: { write: () => undefined },
      env,
      now: () => NOW,
      signal: signal ?? new AbortController().signal,
      sleep: () => Promise.resolve(),
      endSoon: () => undefined,
      operator: () => 'ann@laptop',
    });
    const client = new Client({ name: 'test', version: '1' });
    // Both ends of standard input and output speak in the same way.
    await client.connect(new StdioServerTransport(stdout, stdin));
    const session: Session = {
      client,
      async call(name, given = {}) {
        const { content, isError } = (await client.callTool({ name, arguments: given })) as CallToolResult;
        const [part] = content;
        const text = part?.type === 'text' ? part.text : '';
        return isError === true ? text : (JSON.parse(text) as unknown);
      },
      end() {
        stdin.end();
        return status;
      },
    };
    sessions.push(session);
    return session;
  }

  const toolsOf = async ({ client }: Session): Promise<string[]> =>
    (await client.listTools()).tools.map(({ name }) => name).toSorted();

  it('offers only tools that read, each marked as such, unless changes are allowed', async () => {
    const reading = await serve(endpoint());
    expect(await toolsOf(reading)).toEqual(READS);
    const { tools } = await reading.client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(await reading.call('release_claims', { claims: [], reason: 'x' })).toMatch(
      /release_claims not found/,
    );
    const changing = await serve([...endpoint(), '--allow-changes']);
    expect(await toolsOf(changing)).toEqual([...READS, 'release_claims', 'resolve_claims'].toSorted());
  });

  it('has a row in docs/mcp.md for each tool, and no other', async () => {
    const queue = 'http://127.0.0.1:1/000000000000/dead-letters'; // never called
    const all = await serve([...endpoint(), '--queue-url', queue, '--allow-changes']);
    const rows = readFileSync('docs/mcp.md', 'utf8').matchAll(/^\| `(\w+)` \|/gm);
    expect([...rows].map(([, name = '']) => name).toSorted()).toEqual(await toolsOf(all));
  });

  it('names the row of a newer format that a search by hash finds', async () => {
    await make('newer#1', 'parked');
    await table.update('newer#1', { status: { S: 'PARKED@2:9.0.0' } });
    const { call } = await serve(endpoint());
    const found = await call('show_claim', { hash: keyHash('newer#1') });
    await table.update('newer#1', { status: { S: 'PARKED' } });
    expect(found).toEqual({ claims: [], newer: [{ key: 'newer#1', format: 2, version: '9.0.0' }] });
  });

  it('lists claims by state and prefix, page by page', async () => {
    for (const id of ['1', '2']) await make(`list#${id}`, 'parked');
    await make('list#3', 'completed');
    const { call } = await serve(endpoint());
    const first = (await call('list_claims', { state: 'parked', prefix: 'list#', limit: 1 })) as {
      claims: { key: string }[];
      next: string;
    };
    const second = (await call('list_claims', {
      state: 'parked',
      prefix: 'list#',
      limit: 1,
      cursor: first.next,
    })) as { claims: { key: string }[] };
    expect([...first.claims, ...second.claims].map(({ key }) => key).toSorted()).toEqual([
      'list#1',
      'list#2',
    ]);
  });

  it('shows a claim by its key, its hash or the id of its record, without its result', async () => {
    await make('show#1', 'completed', 'message-1');
    const { call } = await serve(endpoint());
    for (const by of [{ key: 'show#1' }, { hash: keyHash('show#1') }, { recordId: 'message-1' }]) {
      const found = (await call('show_claim', by)) as { claims: object[] };
      expect(found.claims).toMatchObject([{ key: 'show#1', state: 'completed', hasResult: true }]);
      expect(JSON.stringify(found)).not.toContain('ch_1');
    }
    expect(await call('show_claim', { key: 'show#none' })).toEqual({ claims: [] });
    expect(await call('show_claim', { key: 'a', recordId: 'b' })).toBe(
      'Error: Expected one of key, hash and recordId: got none or several.',
    );
  });

  it('explains what a claim waits for, and what each change would do', async () => {
    await make('explain#1', 'parked');
    await make('explain#2', 'in-progress');
    const { call } = await serve(endpoint());
    expect(await call('explain_claim', { key: 'explain#1' })).toMatchObject({
      nextStep: { kind: 'person' },
      whyParked: 'failed for good: repair the cause, then release it',
      timeline: [{ kind: 'claimed' }, { kind: 'parked' }],
      changes: { release: 'may run again', resolve: 'counts as done, does not run' },
    });
    expect(await call('explain_claim', { key: 'explain#2' })).toMatchObject({
      changes: { release: expect.stringContaining('refused: a handler may be running until') },
    });
    expect(await call('explain_claim', { key: 'no such' })).toEqual({
      claim: null,
      meaning: 'There is no claim of this key in table claims.',
    });
  });

  it('counts claims by state', async () => {
    await make('count#1', 'parked');
    await make('count#2', 'completed');
    const { call } = await serve(endpoint());
    expect(await call('claim_stats', { prefix: 'count#' })).toMatchObject({
      counts: { parked: 1, completed: 1, failed: 0 },
      parkedKinds: { failed: 1 },
      isWhole: true,
    });
  });

  it('releases and resolves claims as they were seen, and says who did it', async () => {
    await make('change#1', 'parked');
    await make('change#2', 'parked');
    const { call } = await serve([...endpoint(), '--allow-changes']);
    const seen = async (key: string): Promise<object> =>
      ((await call('show_claim', { key })) as { claims: [object] }).claims[0];
    const [one, two] = [await seen('change#1'), await seen('change#2')];
    const reason = 'fixed in 1.4';
    expect(await call('release_claims', { claims: [one], reason })).toMatchObject({
      done: [
        {
          key: 'change#1',
          claim: { state: 'failed', history: [{ operator: 'ann@laptop, by mcp', reason }] },
        },
      ],
    });
    expect(await call('resolve_claims', { claims: [two], reason })).toMatchObject({
      done: [{ key: 'change#2', claim: { state: 'completed' } }],
    });
    expect(await call('release_claims', { claims: [one], reason })).toMatchObject({
      done: [],
      refused: [{ key: 'change#1', why: 'changed' }],
    });
  });

  it('never overrules a handler that may be running', async () => {
    await make('running#1', 'in-progress');
    const { call } = await serve([...endpoint(), '--allow-changes']);
    const { claims } = (await call('show_claim', { key: 'running#1' })) as { claims: object[] };
    expect(await call('release_claims', { claims, reason: 'x' })).toMatchObject({
      refused: [{ key: 'running#1', why: 'running' }],
    });
    expect(await call('release_claims', { claims, reason: 'x', force: true })).toMatch(/force/);
  });

  it('finds the mistakes of a template, and those of the table it serves', async () => {
    const { call } = await serve(endpoint());
    const template = await call('doctor', { template: 'template.yaml' });
    expect(template).toMatchObject({ findings: expect.any(Array), checked: expect.any(Array) });
    const deployed = (await call('doctor')) as { checked: object[] };
    expect(JSON.stringify(deployed.checked)).toContain('claims');
    expect(await call('doctor', { template: 'none.yaml' })).toMatch(
      /^Error: none\.yaml cannot be read \(ENOENT\)/,
    );
  });

  it('answers with what to do when the store fails', async () => {
    const { call } = await serve([
      '--table',
      'no-such-table',
      '--index',
      'none',
      '--endpoint-url',
      table.endpoint,
    ]);
    expect(await call('list_claims')).toMatch(/^Error: There is no such table .* check --table/);
  });

  it('shows hostile text of a claim escaped', async () => {
    await make('escape\u202E#1', 'parked');
    const { client } = await serve(endpoint());
    const { content } = (await client.callTool({
      name: 'list_claims',
      arguments: { prefix: 'escape' },
    })) as CallToolResult;
    expect(JSON.stringify(content)).not.toContain('\u202E');
  });

  it('ends with status 0 when the client closes standard input, and after a signal', async () => {
    const session = await serve(endpoint());
    expect(await session.end()).toBe(0);
    const stopping = new AbortController();
    const stopped = await serve(endpoint(), { signal: stopping.signal });
    stopping.abort();
    expect(await stopped.end()).toBe(0);
  });

  describe('with a dead-letter queue', () => {
    let service: LocalService;
    let orders: FailedOrders;
    let client: DynamoDBClient;
    let session: Session;

    beforeAll(async () => {
      service = await startSqsEmulator();
      client = emulatorClient(table.endpoint);
      const store = dynamoDBStore({ tableName: 'claims', client, overdueIndex: true });
      orders = await failedOrders({ endpoint: service.endpoint, options: { store } });
      session = await serve(['--table', 'claims', '--queue-url', orders.deadLetterUrl, '--allow-changes'], {
        env: { AWS_ENDPOINT_URL_DYNAMODB: table.endpoint, AWS_ENDPOINT_URL_SQS: service.endpoint },
      });
    });
    afterAll(async () => {
      await session.end();
      client.destroy();
      orders.stop();
      await service.stop();
    });

    it('lists dead letters with their claims and without their bodies', async () => {
      await orders.fail('o-1');
      const found = await session.call('list_dead_letters', { limit: 1 });
      expect(found).toMatchObject({
        messages: [{ error: { name: 'PermanentError' }, claims: [{ state: 'parked' }] }],
      });
      expect(JSON.stringify(found)).not.toContain('orderId');
    });

    it('redrives what an error selects, after showing what it would do', async () => {
      const reason = 'fixed';
      expect(await session.call('redrive_dead_letters', { reason })).toBe(
        'Error: Expected one of messageIds, an error (errorName, errorCode) and all: got none or several.',
      );
      expect(await session.call('redrive_dead_letters', { all: true })).toMatch(/reason/);
      const given = { errorName: 'PermanentError', reason };
      const moved = { moved: 1, messages: [{ outcome: 'moved', claims: [{ isReleased: true }] }] };
      expect(await session.call('redrive_dead_letters', { ...given, dryRun: true })).toMatchObject({
        ...moved,
        isDryRun: true,
      });
      expect(await session.call('redrive_dead_letters', given)).toMatchObject({ ...moved, isDryRun: false });
      expect(await session.call('show_claim', { key: 'orders#v1:o-1' })).toMatchObject({
        claims: [{ history: [{ operation: 'release', reason, operator: 'ann@laptop, by mcp' }] }],
      });
    });
  });

  it('serves a client that starts the command line as a process', async () => {
    const claim = { key: 'process#1', owner: 'owner', leaseMs: 60_000, retentionMs: 600_000 };
    await table.at(Date.now()).acquire([claim]); // the process looks at the real time
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['--import', 'tsx', 'packages/cli/src/cli/batchlatch.ts', 'mcp', ...endpoint()],
        stderr: 'ignore',
      }),
    );
    const { content } = (await client.callTool({
      name: 'show_claim',
      arguments: { key: 'process#1' },
    })) as CallToolResult;
    expect(content).toMatchObject([{ text: expect.stringContaining('"key": "process#1"') }]);
    await client.close();
  });
});
