import type { ServerResponse } from 'node:http';
import { claimJson, inspectClaim } from 'batchlatch/operations';
import type { ClaimsJson, EventJson, Session } from './api.ts';
import { ApiError } from './api-error.ts';
import { assertChangesAllowed, type Caller } from './caller.ts';
import { claimDetail } from './claim-answers.ts';
import { filterOf, matching, readPage } from './claim-filter.ts';
import type { ConsoleParts } from './console-parts.ts';
import { type Download, exportClaims, type ExportFormat } from './exports.ts';
import { checkInput, INPUTS, type RequestName } from './inputs.ts';
import { listRows, outboxOf, rowBody } from './outbox/outbox-reads.ts';
import type { SessionSecrets } from './session-secrets.ts';
import type { SignedInJson, TicketJson } from './sign-in-api.ts';
import { readWaterfall, type WaterfallJson } from './waterfall/read-waterfall.ts';

/** A request of the API. */
export interface ApiRequest {
  /** The members of a POST body or a GET query, checked against `INPUTS`. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** The parts of a server that keeps running between requests. */
export interface RunningServer {
  readonly response: ServerResponse;
  readonly secrets: SessionSecrets;
}

/** Returns a `Download`, or the value to send as JSON. */
type Handler = (api: ApiRequest, parts: ConsoleParts) => unknown;

/** Returns the value to send as JSON, or undefined if the handler sends the response itself. */
type RunningHandler = (api: ApiRequest, parts: ConsoleParts, server: RunningServer) => unknown;

type Route =
  | {
      readonly handle: Handler;
      /** The allowed callers. Default: signed-in pages. */
      readonly isFor?: 'downloads';
      /** Whether the route changes claims, queues or the outbox. */
      readonly isChange?: boolean;
    }
  | {
      /** Answers on a server that keeps running between requests, which a Lambda function does not. */
      readonly handleRunning: RunningHandler;
      readonly isFor?: 'anybody';
    };

/** The routes of the API. */
export const ROUTES: Readonly<Record<RequestName, Route>> = {
  'POST /api/sign-in': { handleRunning: signIn, isFor: 'anybody' },
  'GET /api/session': { handle: session },
  'GET /api/events': { handleRunning: events },
  'GET /api/claims': { handle: claims },
  'GET /api/claim': { handle: claim },
  'GET /api/waterfall': { handle: waterfall },
  'POST /api/export': {
    handleRunning: (_api, _parts, { secrets }): TicketJson => ({ ticket: secrets.downloadTicket() }),
  },
  'GET /api/export': { handle: download, isFor: 'downloads' },
  'GET /api/job': { handleRunning: job },
  'GET /api/actions': { handle: async (_api, { actions }) => ({ actions: await actions.recent() }) },
  'POST /api/read': { handleRunning: (_api, { reads }) => reads.start() },
  'POST /api/jobs/stop': { handleRunning: stopJob },
  'POST /api/plan': { handle: ({ input, signal }, { changes }) => changes.plan(input, signal) },
  'POST /api/changes': {
    handle: ({ input, caller }, { changes }) => changes.change(input, caller),
    isChange: true,
  },
  'POST /api/dead-letters/peek': {
    handle: ({ input, signal }, { letters }) => letters.peek(input, signal),
  },
  'POST /api/dead-letters/of-claim': {
    handle: ({ input, signal }, { letters }) => letters.ofClaim(String(input['key']), signal),
  },
  'POST /api/dead-letters/body': {
    handle: ({ input, signal }, { letters }) => letters.body(input, signal),
  },
  'POST /api/dead-letters/plan': {
    handle: ({ input, caller, signal }, { redrives }) => redrives.plan(input, caller, signal),
  },
  'POST /api/dead-letters/redrive': {
    handle: ({ input, caller }, { redrives }) => redrives.redrive(input, caller),
    isChange: true,
  },
  'GET /api/outbox': {
    handle: ({ input, signal }, { outbox }) => listRows(outboxOf(outbox).admin, input, signal),
  },
  'POST /api/outbox/body': {
    handle: ({ input, signal }, { outbox }) =>
      rowBody(outboxOf(outbox).admin, String(input['outboxId']), signal),
  },
  'POST /api/outbox/plan': {
    handle: ({ input, signal }, { outboxChanges }) => outboxChanges.plan(input, signal),
  },
  'POST /api/outbox/change': {
    handle: ({ input, caller }, { outboxChanges }) => outboxChanges.change(input, caller),
    isChange: true,
  },
  'POST /api/send/plan': { handle: ({ input, signal }, { sends }) => sends.plan(input, signal) },
  'POST /api/send': {
    handle: ({ input, caller }, { sends }) => sends.send(input, caller),
    isChange: true,
  },
};

/** Checks the input of a request and answers it. Throws an `ApiError` if the caller may not do that. */
export async function callRoute(
  name: RequestName,
  { input, caller, signal }: ApiRequest,
  parts: ConsoleParts,
  server?: RunningServer,
): Promise<unknown> {
  const route = ROUTES[name];
  if (isChange(name)) assertChangesAllowed(caller);
  checkInput(name, input, INPUTS[name]);
  if ('handle' in route) return route.handle({ input, caller, signal }, parts);
  if (server === undefined) throw noApi();
  return route.handleRunning({ input, caller, signal }, parts, server);
}

/** Whether a route changes claims, queues or the outbox. */
export function isChange(name: RequestName): boolean {
  const route = ROUTES[name];
  return 'handle' in route && route.isChange === true;
}

/** Returns the name of a route, or undefined if there is none. */
export function requestNameOf(method: string | undefined, pathname: string): RequestName | undefined {
  const name = `${method} ${pathname}`;
  return Object.hasOwn(INPUTS, name) ? (name as RequestName) : undefined;
}

/** Returns the error for a request that no route answers. */
export function noApi(): ApiError {
  return new ApiError(
    404,
    'no-api',
    'There is no such API. If the console was updated, load the page again.',
  );
}

/** Signs a page in with the token of the address. */
function signIn({ input }: ApiRequest, _parts: ConsoleParts, { secrets }: RunningServer): SignedInJson {
  const secret = secrets.signIn(String(input['token']));
  if (secret === undefined) throw notSignedIn();
  return { secret };
}

/** Returns the error for a page that is not signed in. */
export function notSignedIn(): ApiError {
  return new ApiError(
    401,
    'no-session',
    'This page is not signed in. Open the address that the terminal printed when the console started: ' +
      'it contains a token.',
  );
}

function session({ caller }: ApiRequest, { options, overview, queues, outbox }: ConsoleParts): Session {
  const { place, readEveryMs, version, sender } = options;
  const { operator, allowChanges, role } = caller;
  const { estimatedRows, indexedStates } = overview;
  return {
    place,
    operator,
    allowChanges,
    ...(role !== undefined && { role }),
    readsBySelf: readEveryMs !== undefined,
    ...(estimatedRows !== undefined && { estimatedRows }),
    queues,
    ...(outbox !== undefined && { outbox: outbox.place }),
    canSend: allowChanges && sender !== undefined && queues.some(({ isDeadLetter }) => !isDeadLetter),
    version,
    indexedStates,
  };
}

function events(
  _api: ApiRequest,
  { stream, overview, jobs }: ConsoleParts,
  { response }: RunningServer,
): undefined {
  const ended = jobs.endedLately().map((one) => ['job', one] as const);
  stream.add(response, [['overview', overview.current()], ...ended]);
}

async function claims(
  { input, signal }: ApiRequest,
  { store, clock, seen }: ConsoleParts,
): Promise<ClaimsJson> {
  const { limit = 100, cursor, ...given } = input;
  const now = clock.now();
  const filter = filterOf(given);
  const asked = { limit: Number(limit), cursor: cursor === '' ? undefined : (cursor as string) };
  const isSearch = filter.by === 'any' && filter.q !== '' && asked.cursor === undefined;
  const exact = isSearch ? await seen.search(store, filter.q, signal) : undefined;
  const page =
    exact === undefined
      ? await readPage(store, filter, asked, { now, signal })
      : matching(exact, filter, now);
  return {
    ...page,
    claims: page.claims.map((one) => claimJson(one, now)),
    ...(exact !== undefined && { isExact: true }),
  };
}

async function claim(
  { input, signal }: ApiRequest,
  { store, clock, options, overview, actions }: ConsoleParts,
): Promise<unknown> {
  const key = String(input['key']);
  const [found, unrecorded] = await Promise.all([
    inspectClaim(store, key, { signal }),
    actions.eventsOf(key),
  ]);
  if (found === undefined) throw noClaim(unrecorded);
  const { region } = options;
  const showResult = input['result'] === '1';
  const { queues } = overview.current();
  return claimDetail(found, {
    now: clock.now(),
    showResult,
    queues,
    unrecorded,
    ...(region !== undefined && { region }),
  });
}

async function waterfall(
  { input, signal }: ApiRequest,
  { store, clock, options }: ConsoleParts,
): Promise<WaterfallJson> {
  const found = await inspectClaim(store, String(input['key']), { signal });
  if (found === undefined) throw noClaim([]);
  return readWaterfall(found, options.readLog, { now: clock.now(), signal });
}

/** Names who forgot the claim, if that is known: its row is gone. */
function noClaim(events: readonly EventJson[]): ApiError {
  const last = events.findLast((event) => event.kind === 'changed');
  const forgotten = last === undefined ? '' : ` ${last.operator} forgot it at ${last.at}: ${last.reason}`;
  return new ApiError(404, 'no-claim', `There is no claim with this key.${forgotten}`);
}

async function download({ input, signal }: ApiRequest, { store, clock }: ConsoleParts): Promise<Download> {
  const { format = 'json', ...filter } = input;
  const reading = { store, now: () => clock.now(), signal };
  return exportClaims(format as ExportFormat, filterOf(filter), reading);
}

function job({ input }: ApiRequest, { jobs }: ConsoleParts): unknown {
  const found = jobs.find(String(input['id']));
  if (found === undefined)
    throw new ApiError(
      404,
      'no-job',
      'There is no such job. The console forgets jobs when it restarts: look at the claims.',
    );
  return found;
}

function stopJob({ input }: ApiRequest, { jobs }: ConsoleParts): unknown {
  if (jobs.stop(String(input['job']))) return {};
  throw new ApiError(
    404,
    'no-job',
    'There is no running job with this id. It has ended: look at its result.',
  );
}
