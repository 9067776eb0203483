import type { Server } from 'node:http';
import { builtIn } from '../base/built-in.ts';
import { guardServer } from '../guard/guard-server.ts';
import { bracketed } from '../guard/own-names.ts';
import type { WorkerCounters, WorkerHealth } from './worker.ts';

/** Where a worker tells how it is. */
export interface HealthOptions {
  /** The port, up to 65,535; 0 takes any that is free. */
  readonly port: number;
  /** The address. Default `127.0.0.1`; in a container whose platform asks from outside, `0.0.0.0`. */
  readonly host?: string;
}

/** A server that tells how one or several workers are. */
export interface HealthServer {
  /** Where it listens. */
  readonly url: string;
  /** Stops it; what is being answered is broken off. */
  close(): Promise<void>;
}

/** After so many receives in a row that failed, a worker is not ready. */
const MOST_FAILURES = 3;
/** And after the claim store has left something unanswered for so long. */
const LONGEST_SILENCE_MS = 5_000;

/**
 * Serves the health of a worker: what its option `health` does, for programs that run several workers. `GET /live`: 200 until the
 * worker has stopped. `GET /ready`: 200 while it receives, 503 while it does not (it has not reached the queue yet, it is paused or
 * stopping, a dependency is down, or SQS or the claim store does not answer). `GET /`: the counters as JSON. `GET /metrics`: the
 * same as Prometheus reads them. Web pages of other origins get 403. Rejects if the port is in use.
 *
 * @param options Where it listens.
 * @param health Called for each request: `worker.health()`, or the sum of several.
 */
export async function startHealthServer(
  options: HealthOptions,
  health: () => WorkerHealth,
): Promise<HealthServer> {
  const { port, host = '127.0.0.1' } = options;
  const server: Server = builtIn('node:http').createServer((request, response) => {
    const { status, type, body } = answerTo(request.method, request.url, health());
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  guardServer(server, host);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${bracketed(host)}:${listening}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface HealthAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function answerTo(method: string | undefined, url: string | undefined, health: WorkerHealth): HealthAnswer {
  if (method !== 'GET' && method !== 'HEAD') return json(405, { error: 'Only GET and HEAD are answered' });
  const [path = '/'] = (url ?? '/').split('?');
  switch (path) {
    case '/':
      return json(200, toldOf(health));
    case '/live':
      return json(health.state === 'stopped' ? 503 : 200, { state: health.state });
    case '/ready':
      return json(isReady(health) ? 200 : 503, { state: health.state });
    case '/metrics':
      return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: prometheus(health) };
    default:
      return json(404, { error: 'There are /, /live, /ready and /metrics' });
  }
}

function isReady({ state, failuresInARow, down, isReached, storeSilentForMs }: WorkerHealth): boolean {
  const isAnswered = isReached && failuresInARow < MOST_FAILURES && storeSilentForMs < LONGEST_SILENCE_MS;
  return state === 'running' && isAnswered && down.length === 0;
}

function json(status: number, body: object): HealthAnswer {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(body)}\n` };
}

function toldOf(health: WorkerHealth): object {
  const { state, running, waiting, setAside, limit, down, pauseReason, counters, failuresInARow } = health;
  const gauges = { running, waiting, setAside, limit };
  const { processes, restarts } = health;
  const told = { state, ...gauges, down, pauseReason, ...counters, receiveErrorsInARow: failuresInARow };
  return { ...told, processes, restarts };
}

const HELP: Readonly<Record<keyof WorkerCounters, string>> = {
  received: 'Messages that SQS gave.',
  acknowledged: "Messages that the handler's answers acknowledged.",
  failed: 'Messages that come again.',
  deleted: 'Messages that SQS has deleted.',
  receivedAgain: 'Messages that were still here when they came again.',
  handedBack: 'Messages that were shown again before they had started.',
  receiveErrors: 'Receives that failed.',
};

/** Prometheus' text format 0.0.4 (prometheus.io, "Exposition formats"). Names are checked at start: nothing has to be escaped. */
function prometheus(health: WorkerHealth): string {
  const { running, waiting, setAside, limit, state, counters, dependencies, down } = health;
  const { processes, restarts = 0 } = health;
  const downs = dependencies.map((name): Sample => {
    return [`{dependency="${name}"}`, Number(down.includes(name))];
  });
  return [
    ...Object.entries(HELP).map(([name, help]) => {
      const value = counters[name as keyof WorkerCounters];
      return metric(`${snake(name)}_total`, 'counter', help, ['', value]);
    }),
    metric('running', 'gauge', 'Messages in handlers now.', ['', running]),
    metric('waiting', 'gauge', 'Messages that wait, for a slot or to run alone.', ['', waiting]),
    metric('set_aside', 'gauge', "Messages that wait for their group, their key's rate or a lease.", [
      '',
      setAside,
    ]),
    metric('concurrency_limit', 'gauge', 'Handlers that may run at once.', ['', limit]),
    metric('paused', 'gauge', '1 while the worker is paused.', ['', Number(state === 'paused')]),
    metric('ready', 'gauge', '1 while the worker receives.', ['', Number(isReady(health))]),
    metric('dependency_down', 'gauge', '1 while nothing starts because this is down.', ...downs),
    ...(processes === undefined
      ? []
      : [
          metric('processes', 'gauge', 'Processes that receive.', ['', receiving(processes)]),
          metric('restarts_total', 'counter', 'Processes started in place of another.', ['', restarts]),
        ]),
  ].join('');
}

function receiving(processes: NonNullable<WorkerHealth['processes']>): number {
  return processes.filter(({ state }) => state === 'running').length;
}

type Sample = readonly [labels: string, value: number];

function metric(suffix: string, type: 'counter' | 'gauge', help: string, ...samples: Sample[]): string {
  const name = `batchlatch_worker_${suffix}`;
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
