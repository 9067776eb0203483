import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from '../../tool-base/clock.ts';
import { guardServer } from 'batchlatch/operations';
import { portError } from '../places.ts';
import { matches } from '../patterns/matches.ts';
import type { DevStack, DevTrigger, QueueTarget, RuleTrigger } from '../stack.ts';
import { type BusEvent, parsedInput } from './event-envelope.ts';
import { putEvents } from './put-events.ts';

export interface EventBusOptions {
  /** The address to listen on: the one that the template was read with. */
  readonly place: string;
  /** Host names that requests may use besides those of loopback. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly clock: Clock;
  /** Returns the current template. */
  readonly stack: () => DevStack;
  /** Invokes a function asynchronously. */
  readonly deliver: (functionId: string, event: unknown) => void;
  /** Sends an event to a queue. */
  readonly sendTo: (target: QueueTarget, event: unknown) => void;
  /** Called for each event, with the ids of the rules that matched it. */
  readonly onEvent?: (event: BusEvent, bus: string, rules: readonly string[]) => void;
}

/** A local EventBridge. */
export interface EventBus {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** More than the largest request of `PutEvents`, whose details are JSON inside JSON. */
const LONGEST_BODY = 2_000_000;

/** Serves `PutEvents` on the loopback interface, and delivers events to the targets of matching rules. */
export async function startEventBus(options: EventBusOptions): Promise<EventBus> {
  const { port } = new URL(options.place);
  const server = createServer((request, response) => {
    void respond(request, response, options).catch(() => response.destroy());
  });
  guardServer(server, '127.0.0.1', options.allowedHosts);
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw portError(error, options.place);
  });
  let stopped: Promise<void> | undefined;
  return {
    endpoint: options.place,
    stop: () =>
      (stopped ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      })),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: EventBusOptions,
): Promise<void> {
  const target = String(request.headers['x-amz-target'] ?? '');
  if (request.method !== 'POST' || target !== 'AWSEvents.PutEvents') {
    const what = 'The local EventBridge supports PutEvents only.';
    return answer(response, 400, refusal('UnknownOperationException', what));
  }
  const text = await bodyOf(request);
  if (text === undefined)
    return answer(response, 413, refusal('RequestTooLarge', 'The request is too large.'));
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    return answer(response, 400, refusal('SerializationException', 'The request is not JSON.'));
  }
  const result = putEvents(input, options.clock.now());
  if ('refused' in result) return answer(response, 400, refusal('ValidationException', result.refused));
  answer(response, 200, result.answer);
  for (const { bus, event } of result.accepted) routeEvent(options, bus, event);
}

/** Delivers an event to the targets of every rule of its bus that matches it. */
function routeEvent(
  { stack, deliver, sendTo, onEvent }: Pick<EventBusOptions, 'stack' | 'deliver' | 'sendTo' | 'onEvent'>,
  bus: string,
  event: BusEvent,
): void {
  const { functions, queueTargets } = stack();
  const isMatched = (trigger: DevTrigger): trigger is RuleTrigger =>
    trigger.kind === 'rule' && trigger.isEnabled && trigger.bus === bus && matches(trigger.pattern, event);
  const matched = [
    ...functions.flatMap(({ id, triggers }) =>
      triggers
        .filter(isMatched)
        .map((trigger) => ({ trigger, hand: (given: unknown) => deliver(id, given) })),
    ),
    ...queueTargets.flatMap((target) =>
      isMatched(target.trigger)
        ? [{ trigger: target.trigger, hand: (given: unknown) => sendTo(target, given) }]
        : [],
    ),
  ];
  onEvent?.(
    event,
    bus,
    matched.map(({ trigger }) => trigger.id),
  );
  for (const { trigger, hand } of matched)
    hand(trigger.input === undefined ? event : parsedInput(trigger.input));
}

/** Reads the body; undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= LONGEST_BODY) chunks.push(chunk);
  }
  return length > LONGEST_BODY ? undefined : Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
  response.end(JSON.stringify(body));
}

function refusal(type: string, message: string): object {
  return { __type: type, message };
}
