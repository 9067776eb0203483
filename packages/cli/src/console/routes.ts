import type { ServerResponse } from 'node:http';
import { claimJson, inspectClaim } from 'batchlatch/operations';
import type { ClaimsJson, Session } from './api.ts';
import { ApiError } from './api-error.ts';
import { claimDetail } from './claim-answers.ts';
import { filterOf, matching, readPage } from './claim-filter.ts';
import type { ConsoleParts } from './console-parts.ts';
import { type ExportFormat, sendExport } from './exports.ts';
import type { RequestName } from './inputs.ts';
import type { SessionSecrets } from './session-secrets.ts';
import type { SignedInJson, TicketJson } from './sign-in-api.ts';
import { readWaterfall, type WaterfallJson } from './waterfall/read-waterfall.ts';

/** A request of the API. */
interface ApiRequest {
  readonly response: ServerResponse;
  /** The members of a POST body or a GET query, checked against `INPUTS`. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly secrets: SessionSecrets;
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal;
}

/** Returns the value to send as JSON, or undefined if the handler sends the response itself. */
type Handler = (api: ApiRequest, parts: ConsoleParts) => unknown;

interface Route {
  readonly handle: Handler;
  /** The allowed callers. Default: signed-in pages. */
  readonly isFor?: 'anybody' | 'downloads';
  /** Whether the route changes claims or queues. */
  readonly isChange?: boolean;
}

/** The routes of the API. */
export const ROUTES: Readonly<Record<RequestName, Route>> = {
  'POST /api/sign-in': { handle: signIn, isFor: 'anybody' },
  'GET /api/session': { handle: session },
  'GET /api/events': { handle: events },
  'GET /api/claims': { handle: claims },
  'GET /api/claim': { handle: claim },
  'GET /api/waterfall': { handle: waterfall },
  'POST /api/export': { handle: ({ secrets }): TicketJson => ({ ticket: secrets.downloadTicket() }) },
  'GET /api/export': { handle: download, isFor: 'downloads' },
  'GET /api/job': { handle: job },
  'GET /api/actions': { handle: (_api, { actions }) => ({ actions: actions.all() }) },
  'POST /api/read': { handle: (_api, { reads }) => reads.start() },
  'POST /api/jobs/stop': { handle: stopJob },
  'POST /api/plan': { handle: ({ input, signal }, { changes }) => changes.plan(input, signal) },
  'POST /api/changes': { handle: ({ input }, { changes }) => changes.change(input), isChange: true },
  'POST /api/dead-letters/peek': {
    handle: ({ input, signal }, { letters }) => letters.peek(input, signal),
  },
  'POST /api/dead-letters/of-claim': {
    handle: ({ input, signal }, { letters }) => letters.ofClaim(String(input['key']), signal),
  },
  'POST /api/dead-letters/body': { handle: ({ input }, { letters }) => letters.body(input) },
  'POST /api/dead-letters/plan': {
    handle: ({ input, signal }, { redrives }) => redrives.plan(input, signal),
  },
  'POST /api/dead-letters/redrive': {
    handle: ({ input }, { redrives }) => redrives.redrive(input),
    isChange: true,
  },
  'POST /api/send/plan': { handle: ({ input, signal }, { sends }) => sends.plan(input, signal) },
  'POST /api/send': { handle: ({ input }, { sends }) => sends.send(input), isChange: true },
};

/** Signs a page in with the token of the address. */
function signIn({ input, secrets }: ApiRequest): SignedInJson {
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

function session(_api: ApiRequest, { options, overview, queues }: ConsoleParts): Session {
  const { place, operator, allowChanges = false, readEveryMs, version, sender } = options;
  const { estimatedRows, indexedStates } = overview;
  return {
    place,
    operator,
    allowChanges,
    readsBySelf: readEveryMs !== undefined,
    ...(estimatedRows !== undefined && { estimatedRows }),
    queues,
    canSend: allowChanges && sender !== undefined && queues.some(({ isDeadLetter }) => !isDeadLetter),
    version,
    indexedStates,
  };
}

function events({ response }: ApiRequest, { stream, overview, jobs }: ConsoleParts): undefined {
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
  { store, clock, options, overview }: ConsoleParts,
): Promise<unknown> {
  const found = await inspectClaim(store, String(input['key']), { signal });
  if (found === undefined) throw noClaim();
  const { region } = options;
  const showResult = input['result'] === '1';
  const { queues } = overview.current();
  return claimDetail(found, {
    now: clock.now(),
    showResult,
    queues,
    ...(region !== undefined && { region }),
  });
}

async function waterfall(
  { input, signal }: ApiRequest,
  { store, clock, options }: ConsoleParts,
): Promise<WaterfallJson> {
  const found = await inspectClaim(store, String(input['key']), { signal });
  if (found === undefined) throw noClaim();
  return readWaterfall(found, options.readLog, { now: clock.now(), signal });
}

function noClaim(): ApiError {
  return new ApiError(404, 'no-claim', 'There is no claim with this key.');
}

async function download(
  { input, response, signal }: ApiRequest,
  { store, clock }: ConsoleParts,
): Promise<undefined> {
  const { format = 'json', ...filter } = input;
  const reading = { store, now: () => clock.now(), signal };
  await sendExport(response, format as ExportFormat, filterOf(filter), reading);
}

function job({ input }: ApiRequest, { jobs }: ConsoleParts): unknown {
  const found = jobs.find(String(input['id']));
  if (found === undefined) throw new ApiError(404, 'no-job', 'There is no such job.');
  return found;
}

function stopJob({ input }: ApiRequest, { jobs }: ConsoleParts): unknown {
  if (jobs.stop(String(input['job']))) return {};
  throw new ApiError(404, 'no-job', 'There is no running job with this id.');
}
