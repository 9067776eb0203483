import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspectClaim } from '../operations/list-claims.ts';
import { claimJson } from '../operations/claim-json.ts';
import type { ClaimsJson, Session } from './api.ts';
import { ApiError, badRequest } from './api-error.ts';
import { claimDetail } from './claim-answers.ts';
import { filterOf, readPage } from './claim-filter.ts';
import type { ConsoleParts } from './console-parts.ts';
import { sendExport } from './exports.ts';

/** One request of the API. */
interface ApiRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Of a POST. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Answers what is sent as JSON; undefined where the answer is under way. */
type Handler = (api: ApiRequest, parts: ConsoleParts) => unknown;

/** One way to ask. */
export interface Route {
  readonly handle: Handler;
  /** Whether it changes claims or queues. */
  readonly isChange?: boolean;
}

/** Every request that the API answers. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['GET /api/session', { handle: session }],
  ['GET /api/events', { handle: events }],
  ['GET /api/claims', { handle: claims }],
  ['GET /api/claim', { handle: claim }],
  ['GET /api/export', { handle: download }],
  ['GET /api/job', { handle: job }],
  ['GET /api/actions', { handle: (_api, { actions }) => ({ actions: actions.all() }) }],
  ['POST /api/read', { handle: (_api, { reads }) => reads.start() }],
  ['POST /api/jobs/stop', { handle: stopJob }],
  ['POST /api/plan', { handle: ({ body, signal }, { changes }) => changes.plan(body, signal) }],
  ['POST /api/changes', { handle: ({ body }, { changes }) => changes.change(body), isChange: true }],
  ['POST /api/dead-letters/peek', { handle: ({ body, signal }, { letters }) => letters.peek(body, signal) }],
  ['POST /api/dead-letters/body', { handle: ({ body }, { letters }) => letters.body(body) }],
  [
    'POST /api/dead-letters/plan',
    { handle: ({ body, signal }, { redrives }) => redrives.plan(body, signal) },
  ],
  [
    'POST /api/dead-letters/redrive',
    { handle: ({ body }, { redrives }) => redrives.redrive(body), isChange: true },
  ],
]);

function session(_api: ApiRequest, { options, overview, queues }: ConsoleParts): Session {
  const { place, operator, allowChanges = false, readEveryMs, version } = options;
  const { estimatedRows, indexedStates } = overview;
  return {
    place,
    operator,
    allowChanges,
    readsBySelf: readEveryMs !== undefined,
    ...(estimatedRows !== undefined && { estimatedRows }),
    queues,
    version,
    indexedStates,
  };
}

function events({ response }: ApiRequest, { stream, overview, jobs }: ConsoleParts): undefined {
  const ended = jobs.endedLately().map((one) => ['job', one] as const);
  stream.add(response, [['overview', overview.current()], ...ended]);
}

async function claims({ query, signal }: ApiRequest, { store, clock }: ConsoleParts): Promise<ClaimsJson> {
  const limit = Number(query.get('limit') ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
    throw badRequest('`limit` is a whole number from 1 to 1,000.');
  }
  const filter = filterOf(Object.fromEntries(query));
  const cursor = query.get('cursor') || undefined;
  const now = clock.now();
  const page = await readPage(store, filter, { limit, cursor }, { now, signal });
  return { ...page, claims: page.claims.map((one) => claimJson(one, now)) };
}

async function claim(
  { query, signal }: ApiRequest,
  { store, clock, options }: ConsoleParts,
): Promise<unknown> {
  const key = query.get('key') ?? '';
  if (key === '') throw badRequest('`key` names the claim.');
  const found = await inspectClaim(store, key, { signal });
  if (found === undefined) throw new ApiError(404, 'no-claim', 'There is no claim of this key.');
  const { region } = options;
  const showResult = query.get('result') === '1';
  return claimDetail(found, { now: clock.now(), showResult, ...(region !== undefined && { region }) });
}

async function download(
  { query, response, signal }: ApiRequest,
  { store, clock }: ConsoleParts,
): Promise<undefined> {
  const format = query.get('format') ?? 'json';
  if (format !== 'csv' && format !== 'json') throw badRequest('`format` is csv or json.');
  const filter = filterOf(Object.fromEntries(query));
  await sendExport(response, format, filter, { store, now: () => clock.now(), signal });
}

function job({ query }: ApiRequest, { jobs }: ConsoleParts): unknown {
  const found = jobs.find(query.get('id') ?? '');
  if (found === undefined) throw new ApiError(404, 'no-job', 'There is no such job.');
  return found;
}

function stopJob({ body }: ApiRequest, { jobs }: ConsoleParts): unknown {
  if (jobs.stop(String(body['job']))) return {};
  throw new ApiError(404, 'no-job', 'There is no such job that runs.');
}
