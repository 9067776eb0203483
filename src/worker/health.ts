import type { Server } from 'node:http';
import { builtIn } from '../base/built-in.ts';
import { guardServer } from '../guard/guard-server.ts';
import { bracketed } from '../guard/own-names.ts';
import type { WorkerCounters, WorkerHealth } from './worker.ts';

/** The address of the health endpoint. */
export interface HealthOptions {
  /** The port, up to 65,535; 0 takes a free one. */
  readonly port: number;
  /** The host. Default `127.0.0.1`. In a container whose platform checks from outside: `0.0.0.0`. */
  readonly host?: string;
}

/** The health endpoint of one or several workers. */
export interface HealthServer {
  /** The URL that it listens on. */
  readonly url: string;
  /** Stops the server and its open requests. */
  close(): Promise<void>;
}

/** Failed receives in a row after which a worker is not ready. */
const MOST_FAILURES = 3;
/** The longest unanswered request to the claim store of a worker that is ready. */
const LONGEST_SILENCE_MS = 5_000;

/**
 * Serves the health of a worker as the option `health` does, for programs that run several workers.
 *
 * `GET /live`: 200 until the worker has stopped. `GET /ready`: 200 while it receives, otherwise 503 (it has
 * not reached the queue yet, it is paused or stopping, a dependency is down, or SQS or the claim store does
 * not answer). `GET /`: the counters as JSON. `GET /metrics`: the same for Prometheus. Web pages of other
 * origins get 403. Rejects if the port is in use.
 *
 * @param options The address.
 * @param health Called for each request: `worker.health()`, or the sum of several. If it throws, the answer
 *   is 500.
 */
export async function startHealthServer(
  options: HealthOptions,
  health: () => WorkerHealth,
): Promise<HealthServer> {
  const { port, host = '127.0.0.1' } = options;
  const server: Server = builtIn('node:http').createServer((request, response) => {
    const { status, type, body } = answerTo(request.method, request.url, health);
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

function answerTo(
  method: string | undefined,
  url: string | undefined,
  healthNow: () => WorkerHealth,
): HealthAnswer {
  if (method !== 'GET' && method !== 'HEAD') return json(405, { error: 'Use GET or HEAD' });
  const [path = '/'] = (url ?? '/').split('?');
  let health: WorkerHealth;
  try {
    health = healthNow();
  } catch {
    return json(500, { error: 'The health function threw' });
  }
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
      return json(404, { error: 'The paths are /, /live, /ready and /metrics' });
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
  received: 'Messages received from SQS.',
  acknowledged: "Messages that the handler's answers acknowledged.",
  failed: 'Messages that will be delivered again.',
  deleted: 'Messages that SQS has deleted.',
  receivedAgain: 'Messages received again while the worker held them.',
  handedBack: 'Messages made visible again before they started.',
  receiveErrors: 'Receives that failed.',
};

/** Returns Prometheus' text format 0.0.4. Names are checked at start, so nothing needs escaping. */
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
    metric('waiting', 'gauge', 'Messages that wait for a slot or to run alone.', ['', waiting]),
    metric('set_aside', 'gauge', "Messages that wait for their group, their key's rate or a lease.", [
      '',
      setAside,
    ]),
    metric('concurrency_limit', 'gauge', 'Handlers that may run at once.', ['', limit]),
    metric('paused', 'gauge', '1 while the worker is paused.', ['', Number(state === 'paused')]),
    metric('ready', 'gauge', '1 while the worker receives.', ['', Number(isReady(health))]),
    metric('dependency_down', 'gauge', '1 while the dependency is down and nothing starts.', ...downs),
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
