import { Buffer } from 'node:buffer';
import { ApiError } from '../console/api-error.ts';
import type { Caller } from '../console/caller.ts';
import type { ConsoleParts } from '../console/console-parts.ts';
import { Download } from '../console/exports.ts';
import type { RequestName } from '../console/inputs.ts';
import { jsonObject, toJson } from '../console/json.ts';
import { type ApiRequest, callRoute, isChange, noApi, requestNameOf } from '../console/routes.ts';
import { jsonAnswer, type WholeAnswer } from '../console/whole-answer.ts';
import type { ConsoleConfig } from './config.ts';
import { type ConsoleClients, type ConsolePorts, partsOf } from './console-ports.ts';
import { deadlineOf, type LambdaContext } from './deadline.ts';
import type { FunctionRequest } from './function-event.ts';
import type { Identity } from './identity.ts';
import { assertOwnRequest } from './own-request.ts';

/** How often a page asks for the overview. */
const ASK_AGAIN_MS = 10_000;
/** An overview younger than this is shown to other pages too. */
const YOUNG_MS = 5_000;
/** A load balancer refuses a response of more than 1 MB. */
const LONGEST_DOWNLOAD = 900_000;

/** The API of the console in a function, which keeps nothing that the next request needs. */
export class ConsoleApi {
  readonly #config: ConsoleConfig;
  readonly #ports: ConsolePorts;
  /** The clients of the function's own role. */
  readonly #readers: ConsoleClients;
  readonly #overview: ConsoleParts['overview'];
  #overviewAt = -Infinity;

  constructor(config: ConsoleConfig, ports: ConsolePorts) {
    this.#config = config;
    this.#ports = ports;
    this.#readers = ports.clients();
    this.#overview = partsOf(config, ports, this.#readers).overview;
  }

  /** Answers a request of a person. Throws an `ApiError` if the person may not do that. */
  async answer(
    request: FunctionRequest,
    identity: Identity,
    lambda: LambdaContext | undefined,
  ): Promise<WholeAnswer> {
    const { method, pathname, query, headers } = request;
    assertOwnRequest(method, headers, this.#config.entrance);
    const name = requestNameOf(method, pathname);
    if (name === undefined) throw noApi();
    const input = method === 'POST' ? jsonObject(request.body()) : Object.fromEntries(query);
    const deadline = deadlineOf(lambda, this.#ports.clock);
    const { signal } = deadline;
    try {
      return await this.#call(name, { input, caller: this.#callerOf(identity), signal });
    } catch (error) {
      if (!signal.aborted || error instanceof ApiError) throw error;
      throw outOfTime();
    } finally {
      deadline.cancel();
    }
  }

  #callerOf({ operator, role }: Identity): Caller {
    return { operator, role, allowChanges: role === 'operate' && this.#config.changes !== undefined };
  }

  async #call(name: RequestName, request: ApiRequest): Promise<WholeAnswer> {
    // The person's identity is in each request, so a link to a download needs no ticket.
    if (name === 'POST /api/export') return jsonAnswer(200, { ticket: '' });
    if (name === 'GET /api/events') return this.#events(request.signal);
    if (isChange(name) && request.caller.allowChanges) return this.#change(name, request);
    return answerOf(name, request, this.#partsOf(this.#readers));
  }

  #partsOf(clients: ConsoleClients): ConsoleParts {
    return { ...partsOf(this.#config, this.#ports, clients), overview: this.#overview };
  }

  /** Changes something, with credentials that only this request has. */
  async #change(name: RequestName, request: ApiRequest): Promise<WholeAnswer> {
    const { clients, credentialsFor } = this.#ports;
    const writers = clients(await credentialsFor(request.caller.operator));
    try {
      return await answerOf(name, request, this.#partsOf(writers));
    } finally {
      writers.dynamodb.destroy();
      writers.sqs.destroy();
    }
  }

  /** Returns the overview as the events of a connection that ends, and says when to ask again. */
  async #events(signal: AbortSignal): Promise<WholeAnswer> {
    const { clock } = this.#ports;
    const isYoung = Math.abs(clock.now() - this.#overviewAt) < YOUNG_MS;
    const overview = isYoung ? this.#overview.current() : await this.#overview.readOnce(signal);
    if (!isYoung) this.#overviewAt = clock.now();
    const askAgain = `event: ask-again\ndata: ${ASK_AGAIN_MS}\n\n`;
    const events = `event: overview\ndata: ${toJson(overview)}\n\n${askAgain}`;
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8' };
    return { status: 200, headers, body: Buffer.from(events) };
  }
}

/** Calls a route and waits for its job, which would stand still after the response. */
async function answerOf(name: RequestName, request: ApiRequest, parts: ConsoleParts): Promise<WholeAnswer> {
  // Credentials for a change may come too late to begin it.
  request.signal.throwIfAborted();
  const { jobs } = parts;
  const stop = (): void => void jobs.stopAll();
  request.signal.addEventListener('abort', stop, { once: true });
  const value = await callRoute(name, request, parts);
  await jobs.allEnded();
  if (value instanceof Download) return wholeDownload(value);
  const { job } = (value ?? {}) as { readonly job?: unknown };
  const ended = typeof job === 'string' ? jobs.find(job) : undefined;
  return jsonAnswer(200, ended === undefined ? value : { job, ended });
}

async function wholeDownload({ headers, chunks }: Download): Promise<WholeAnswer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const text of chunks) {
    const part = Buffer.from(text);
    length += part.length;
    if (length > LONGEST_DOWNLOAD) {
      throw new ApiError(
        413,
        'export-too-long',
        'More than 900 KB match. Narrow the filter, or use `npx batchlatch claims list --all --json`.',
      );
    }
    parts.push(part);
  }
  return { status: 200, headers, body: Buffer.concat(parts) };
}

function outOfTime(): ApiError {
  return new ApiError(
    503,
    'out-of-time',
    'The function ran out of time. Narrow the filter, or use the command line.',
  );
}
