import type { JobJson, Overview } from '../api-types.ts';
import { setServerTime } from '../state/now.ts';
import { createStore } from '../state/store.ts';
import { ApiError } from './client.ts';
import { listen, type ServerEvent } from './server-events.ts';
import { askTabs } from './tab-secret.ts';

/**
 * The connection to the server. `connecting`: also after a loss. `paused`: by the person. `away`: the tab is
 * hidden. `signed-out`: the server does not know this browser.
 */
export type Connection = 'connecting' | 'live' | 'paused' | 'away' | 'signed-out';

export const connection = createStore<Connection>('connecting');
/** The latest overview from the server. */
export const overview = createStore<Overview | undefined>(undefined);
/** The jobs that the server reported, including those that have ended. */
export const jobs = createStore<ReadonlyMap<string, JobJson>>(new Map());
/** The number of actions that the server reported since the page was opened. */
export const actionsTold = createStore(0);

/** How often a server that keeps no connection open is asked. */
let askEveryMs: number | undefined;
const LONGEST_WAIT_MS = 10_000;
const SIGNED_OUT_WAIT_MS = 3_000;
let listening: AbortController | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let failures = 0;
let isPaused = false;

/** Connects, and pauses while the tab is hidden. */
export function startLive(): void {
  document.addEventListener('visibilitychange', follow);
  connection.subscribe(() => {
    document.documentElement.dataset['live'] = connection.get();
  });
  document.documentElement.dataset['live'] = connection.get();
  follow();
}

/** Pauses or resumes. */
export function pauseLive(pause: boolean): void {
  isPaused = pause;
  follow();
}

/** Reconnects at once. */
export function reconnect(): void {
  failures = 0;
  close();
  follow();
}

function follow(): void {
  if (isPaused || document.hidden) {
    close();
    connection.set(isPaused ? 'paused' : 'away');
  } else if (listening === undefined) {
    void open();
  }
}

async function open(): Promise<void> {
  clearTimeout(retry);
  // A page that is not signed in says so until it is.
  const isAskedAgain = askEveryMs !== undefined && connection.get() === 'live';
  if (connection.get() !== 'signed-out' && !isAskedAgain) connection.set('connecting');
  askEveryMs = undefined;
  const opened = new AbortController();
  listening = opened;
  try {
    await listen(opened.signal, tell);
  } catch (error) {
    if (listening === opened && error instanceof ApiError && error.status === 401) {
      signOut();
      return;
    }
  }
  if (listening !== opened) return;
  if (askEveryMs === undefined) tryAgain();
  else retry = setTimeout(() => void open(), askEveryMs);
}

function tell({ name, data }: ServerEvent): void {
  if (name === 'overview') {
    failures = 0;
    connection.set('live');
    const next = JSON.parse(data) as Overview;
    setServerTime(next.at);
    keepJobs(next.jobs);
    overview.set(next);
  } else if (name === 'job') {
    keepJobs([JSON.parse(data) as JobJson]);
  } else if (name === 'ask-again') {
    askEveryMs = Number(data);
  } else if (name === 'action') {
    actionsTold.set(actionsTold.get() + 1);
  }
}

/** Keeps the latest state of each job. An ended job stays ended, whichever event comes last. */
export function keepJobs(told: readonly JobJson[]): void {
  const known = jobs.get();
  const news = told.filter(({ id }) => known.get(id)?.ended === undefined);
  if (news.length > 0) jobs.set(new Map([...known, ...news.map((job) => [job.id, job] as const)]));
}

function tryAgain(): void {
  close();
  if (isPaused || document.hidden) return; // resuming connects again
  connection.set('connecting');
  failures += 1;
  retry = setTimeout(follow, Math.min(500 * 2 ** (failures - 1), LONGEST_WAIT_MS));
}

/** Ends the session, and asks other tabs from time to time: one may have a newer secret. */
export function signOut(): void {
  close();
  connection.set('signed-out');
  void askTabs();
  retry = setTimeout(follow, SIGNED_OUT_WAIT_MS);
}

function close(): void {
  clearTimeout(retry);
  const before = listening;
  listening = undefined;
  before?.abort();
}
