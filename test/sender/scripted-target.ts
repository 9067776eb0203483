import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';

/** An entry of a request, of SQS or of EventBridge. */
export interface SentEntry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageAttributes: Readonly<
    Record<string, { readonly DataType: string; readonly StringValue: string }>
  >;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly DelaySeconds?: number;
  readonly Detail: string;
  readonly DetailType: string;
  readonly Source: string;
  readonly EventBusName: string;
}

/** `taken`: and said so. `omitted`: taken, but the answer leaves it out. */
export type EntryFate = 'taken' | 'omitted' | 'throttled' | 'refused';

/**
 * What happens to a request. `lost`: it hangs up before anything is taken. `unanswered`: everything is taken, and
 * it hangs up. `silent`: nothing happens, ever.
 */
export type RequestFate =
  | { readonly entries: (entry: SentEntry) => EntryFate }
  | { readonly status: number; readonly error: string }
  | 'lost'
  | 'unanswered'
  | 'silent';

export interface ScriptedTarget {
  readonly queueUrl: string;
  readonly fifoUrl: string;
  readonly endpoint: string;
  /** What the target has, in order; of a FIFO queue, without second copies. */
  readonly taken: readonly SentEntry[];
  readonly requests: readonly (readonly SentEntry[])[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** The largest number of messages of one group that were under way at the same time. */
  readonly mostOfGroup: number;
  /** Says what happens to the nth request, from 0. */
  script(fateOf: (nth: number, entries: readonly SentEntry[]) => RequestFate): void;
}

export const TAKEN: RequestFate = { entries: () => 'taken' };

/** A loopback server that speaks SQS's and EventBridge's batches, for all tests of a `describe`. */
export function scriptedTarget(): ScriptedTarget {
  let server: Server;
  let port = 0;
  let fateOf: (nth: number, entries: readonly SentEntry[]) => RequestFate = () => TAKEN;
  let taken: SentEntry[] = [];
  let requests: (readonly SentEntry[])[] = [];
  let headers: IncomingHttpHeaders[] = [];
  let mostOfGroup = 0;
  const underWay = new Map<string, number>();
  const known = new Set<string>();

  const take = (entry: SentEntry): void => {
    const id = entry.MessageDeduplicationId;
    if (id !== undefined && known.has(id)) return;
    if (id !== undefined) known.add(id);
    taken.push(entry);
  };
  const count = (entries: readonly SentEntry[], by: number): void => {
    for (const { MessageGroupId: group } of entries) {
      if (group === undefined) continue;
      underWay.set(group, (underWay.get(group) ?? 0) + by);
      mostOfGroup = Math.max(mostOfGroup, underWay.get(group) ?? 0);
    }
  };

  function answer(
    fate: RequestFate,
    entries: readonly SentEntry[],
    response: ServerResponse,
    isEvents: boolean,
  ): void {
    const { socket } = response as { readonly socket: Socket };
    if (fate === 'silent') return;
    if (fate === 'lost' || fate === 'unanswered') {
      if (fate === 'unanswered') for (const entry of entries) take(entry);
      socket.destroy();
      return;
    }
    if ('status' in fate) {
      response.writeHead(fate.status);
      response.end(
        JSON.stringify({ __type: `com.amazonaws#${fate.error}`, message: `Because of ${fate.error}` }),
      );
      return;
    }
    const fates = entries.map((entry) => fate.entries(entry));
    for (const [index, entry] of entries.entries()) {
      if (fates[index] === 'taken' || fates[index] === 'omitted') take(entry);
    }
    response.end(JSON.stringify(isEvents ? eventsOutput(fates) : batchOutput(entries, fates)));
  }

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then(async (body) => {
        const isEvents = request.headers['x-amz-target'] === 'AWSEvents.PutEvents';
        const { Entries: entries } = JSON.parse(body) as { readonly Entries: readonly SentEntry[] };
        const fate = fateOf(requests.length, entries);
        requests.push(entries);
        headers.push(request.headers);
        count(entries, 1);
        await new Promise((resolve) => setImmediate(resolve));
        count(entries, -1);
        answer(fate, entries, response, isEvents);
      });
    });
    port = await listenLocally(server);
    Object.assign(process.env, {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_EVENTBRIDGE: `http://127.0.0.1:${port}`,
    });
  });
  beforeEach(() => {
    fateOf = () => TAKEN;
    taken = [];
    requests = [];
    headers = [];
    mostOfGroup = 0;
    known.clear();
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  const endpoint = (): string => `http://127.0.0.1:${port}`;
  return {
    get queueUrl() {
      return `${endpoint()}/123456789012/orders`;
    },
    get fifoUrl() {
      return `${endpoint()}/123456789012/orders.fifo`;
    },
    get endpoint() {
      return endpoint();
    },
    get taken() {
      return taken;
    },
    get requests() {
      return requests;
    },
    get headers() {
      return headers;
    },
    get mostOfGroup() {
      return mostOfGroup;
    },
    script(next) {
      requests = [];
      fateOf = next;
    },
  };
}

function batchOutput(entries: readonly SentEntry[], fates: readonly EntryFate[]): object {
  const ids = entries.map(({ Id }) => Id);
  return {
    Successful: ids.filter((_, index) => fates[index] === 'taken').map((Id) => ({ Id, MessageId: Id })),
    Failed: ids.flatMap((Id, index) => {
      if (fates[index] === 'throttled') return [{ Id, Code: 'RequestThrottled', SenderFault: false }];
      return fates[index] === 'refused' ? [{ Id, Code: 'InvalidMessageContents', SenderFault: true }] : [];
    }),
  };
}

function eventsOutput(fates: readonly EntryFate[]): object {
  const results = {
    taken: { EventId: 'e' },
    omitted: {},
    throttled: 'ThrottlingException',
    refused: 'MalformedDetail',
  };
  return {
    Entries: fates.map((fate) => {
      const result = results[fate];
      return typeof result === 'string' ? { ErrorCode: result, ErrorMessage: '' } : result;
    }),
  };
}
