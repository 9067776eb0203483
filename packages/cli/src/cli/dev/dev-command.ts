import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DisposeStack } from '../../dev/emulators/dispose-stack.ts';
import { freePort, randomPort } from '../../dev/emulators/free-port.ts';
import { installedFolder, notInstalled } from '../../dev/emulators/installed-package.ts';
import { choosePlaces, type Places } from '../../dev/places.ts';
import { hasTrigger, type RunningStack, runStack } from '../../dev/run-stack.ts';
import { missingPackages } from '../../dev/services/start-services.ts';
import type { DevFunction, DevStack, DevTrigger, HttpTrigger } from '../../dev/stack.ts';
import type { OutputOptions } from '../arguments/common-options.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import type { DevConsoleOptions } from './dev-console.ts';
import { devReport } from './dev-report.ts';
import { loadEsbuild } from './load-esbuild.ts';
import { type StackOptions, stackOf, type Variables } from './stack-options.ts';

interface DevOptions extends OutputOptions, StackOptions, DevConsoleOptions {
  readonly portDynamodb?: number;
  readonly portHttp?: number;
  readonly portSqs?: number;
  readonly allowHost?: readonly string[];
  readonly function?: readonly string[];
  readonly inspect?: string | true;
  readonly reload?: boolean;
}

/** `dev` */
export const devCommand: Run<DevOptions> = async (context, options) => {
  const { signal, screen } = context;
  context.stopOnClosedPipe?.(); // so that its processes end, and its folder is removed
  const places = await choosePlaces({ dynamodb: options.portDynamodb, sqs: options.portSqs });
  const { stack: read, variables } = await stackOf(options, places);
  const stack = observed(withFunctions(read, options.function), variables);
  const openConsole = await consoleOf(context, options, read, places);
  const inspectPorts = await inspectPortsOf(stack, options.inspect);
  const missing = [
    ...(installedFolder('esbuild') === undefined ? ['esbuild'] : []),
    ...missingPackages(stack),
  ];
  if (missing.length > 0) throw notInstalled(missing);
  const esbuild = loadEsbuild();
  const cleanup = new DisposeStack();
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'batchlatch-')));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    const onEvent = devReport(context, stack.functions);
    const running = await runStack({
      stack,
      places,
      esbuild,
      folder,
      reloads: options.reload !== false,
      allowedHosts: options.allowHost,
      inspectPorts,
      httpPort: options.portHttp,
      onEvent,
    });
    cleanup.defer(() => running.stop());
    for (const note of [...stack.notes, ...running.notes]) screen.note(`Note: ${escapeControls(note)}`);
    showStart(context, stack, places, {
      consoleUrl: await openConsole?.(cleanup),
      inspectPorts,
      httpAddresses: running.httpAddresses,
    });
    if (!signal.aborted) await once(signal, 'abort');
    screen.note('Stopping.');
  } finally {
    await cleanup.run();
  }
  return 0;
};

/** Returns a function that opens the console, if wanted. Throws for wrong options before anything starts. */
async function consoleOf(
  context: Context,
  options: DevConsoleOptions,
  stack: DevStack,
  places: Places,
): Promise<((cleanup: DisposeStack) => Promise<string>) | undefined> {
  const { console: isWanted, consoleTable, portConsole: port } = options;
  if (isWanted !== true && consoleTable === undefined && port === undefined) return undefined;
  const { consoleTableOf, openDevConsole } = await import('./dev-console.ts');
  const table = consoleTableOf(stack, consoleTable);
  return async (cleanup) => (await openDevConsole(context, stack, places, { table, port }, cleanup)).url;
}

/** The port that editors try first. */
const USUAL_INSPECT_PORT = 9229;

/** Returns the debugger port of the function that `--inspect` names, or of the only function. */
async function inspectPortsOf(
  { functions }: DevStack,
  inspect: string | true | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (inspect === undefined) return new Map();
  const ids = functions.map(({ id }) => id);
  const [only] = ids;
  if (inspect === true && ids.length !== 1) {
    throw new UsageError(
      `Say which function a debugger attaches to, with --inspect=NAME: ${ids.join(', ')}.`,
    );
  }
  const id = inspect === true ? only : ids.find((one) => one === inspect);
  if (id === undefined) {
    throw new CliError(
      `The template has no function ${String(inspect)} that runs here; it has ${ids.join(', ')}.`,
    );
  }
  const ports = [USUAL_INSPECT_PORT][Symbol.iterator]();
  return new Map([[id, await freePort(() => ports.next().value ?? randomPort())]]);
}

function withFunctions(stack: DevStack, names: readonly string[] | undefined): DevStack {
  if (stack.functions.length === 0) {
    throw new CliError(`The template has no function that runs here. ${stack.notes.join(' ')}`.trim());
  }
  if (names === undefined) return stack;
  const known = stack.functions.map(({ id }) => id);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new CliError(
      `The template has no function ${unknown.join(', ')} that runs here; it has ${known.join(', ')}.`,
    );
  }
  return { ...stack, functions: stack.functions.filter(({ id }) => names.includes(id)) };
}

/** Sets batchlatch's log level to `debug`, at which it logs how long handlers took. */
function observed(stack: DevStack, variables: Variables): DevStack {
  const withLevel = (fn: DevFunction): DevFunction => {
    const given = { ...variables['Parameters'], ...variables[fn.name], ...variables[fn.id] };
    if (given['BATCHLATCH_LOG_LEVEL'] !== undefined) return fn;
    return { ...fn, environment: { ...fn.environment, BATCHLATCH_LOG_LEVEL: 'debug' } };
  };
  return { ...stack, functions: stack.functions.map(withLevel) };
}

/** Addresses that are known only after the start. */
interface Addresses extends Pick<RunningStack, 'httpAddresses'> {
  readonly consoleUrl: string | undefined;
  readonly inspectPorts: ReadonlyMap<string, number>;
}

function showStart(
  { screen, now }: Context,
  stack: DevStack,
  places: Places,
  { consoleUrl, inspectPorts, httpAddresses }: Addresses,
): void {
  const debuggers = [...inspectPorts].map(([id, port]) => [id, `127.0.0.1:${port}`] as const);
  const urls = new Map([...httpAddresses, ...stack.queues.map(({ arn, url }) => [arn, url] as const)]);
  const ofFunctions = stack.functions.flatMap(({ id, triggers }) =>
    (triggers.length === 0 ? [undefined] : triggers).map((trigger) => [
      id,
      trigger?.kind ?? 'none',
      trigger === undefined ? '' : sourceOf(trigger, urls),
    ]),
  );
  const ofQueues = stack.queueTargets.map(({ queueArn, trigger }) => [
    stack.queues.find(({ arn }) => arn === queueArn)?.id ?? queueArn,
    trigger.kind,
    sourceOf(trigger, urls),
  ]);
  const rows = [...ofFunctions, ...ofQueues];
  const endpoints = {
    AWS_ENDPOINT_URL_DYNAMODB: places.dynamodb,
    AWS_ENDPOINT_URL_SQS: places.sqs,
    ...(hasTrigger(stack, 'rule') && { AWS_ENDPOINT_URL_EVENTBRIDGE: places.eventbridge }),
    ...(stack.streams.length > 0 && { AWS_ENDPOINT_URL_KINESIS: places.kinesis }),
  };
  const others = stack.queues.filter(({ arn }) => !rows.some(([, , from]) => from === urls.get(arn)));
  if (screen.isJson) {
    const functions = rows.map(([name, source, from]) => ({ function: name, source, from }));
    const queues = Object.fromEntries(stack.queues.map(({ id, url }) => [id, url]));
    const tables = Object.fromEntries(stack.tables.map(({ id, name }) => [id, name]));
    const time = new Date(now()).toISOString();
    const ready = { type: 'ready', time, functions, queues, tables, endpoints };
    screen.json(
      {
        ...ready,
        ...(httpAddresses.size > 0 && { http: Object.fromEntries(httpAddresses) }),
        ...(consoleUrl !== undefined && { console: consoleUrl }),
        ...(debuggers.length > 0 && { debuggers: Object.fromEntries(debuggers) }),
      },
      'line',
    );
    return;
  }
  screen.table(
    [{ heading: 'Function' }, { heading: 'Source' }, { heading: 'From' }],
    rows.map((row) => row.map((cell) => escapeControls(cell))),
  );
  screen.line();
  const resources = [
    ...others.map(({ id, url }) => [id, url]),
    ...stack.tables.map(({ id, name }) => [id, `table ${name}`]),
  ];
  const width = Math.max(...resources.map(([id = '']) => id.length), 0);
  for (const [id = '', what = ''] of resources)
    screen.line(`${escapeControls(id).padEnd(width)}  ${escapeControls(what)}`);
  if (resources.length > 0) screen.line();
  screen.line(
    `export ${Object.entries(endpoints)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  );
  screen.line('export AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local');
  const claimsTable = claimsTableOf(stack);
  if (claimsTable !== undefined) screen.line(`export CLAIMS_TABLE_NAME=${claimsTable}`);
  screen.line();
  for (const [id, place] of debuggers) {
    screen.line(`Debugger of ${escapeControls(id)}  ${place} (chrome://inspect, or your editor's "attach")`);
    screen.line();
  }
  if (consoleUrl === undefined) return;
  screen.line(`Console  ${consoleUrl}`);
  screen.line();
}

/** Returns the claims table of the functions, if they all have the same one. */
function claimsTableOf({ functions }: DevStack): string | undefined {
  const [name, ...others] = new Set(functions.flatMap((fn) => fn.environment['CLAIMS_TABLE_NAME'] ?? []));
  // The line is pasted into a shell, so only a name that DynamoDB allows is printed.
  return others.length === 0 && /^[\w.-]+$/.test(name ?? '') ? name : undefined;
}

function sourceOf(trigger: DevTrigger, urls: ReadonlyMap<string, string>): string {
  const off = trigger.isEnabled ? '' : ' (disabled)';
  switch (trigger.kind) {
    case 'sqs':
      return `${urls.get(trigger.queueArn) ?? trigger.queueArn}${off}`;
    case 'kinesis':
    case 'dynamodb':
      return `${trigger.streamArn}${off}`;
    case 'rule':
      return `bus ${trigger.bus}${off}`;
    case 'schedule':
      return `${trigger.expression}${off}`;
    case 'http':
      return addressOf(trigger, urls.get(trigger.endpointId) ?? '');
  }
}

/** Returns a route as an address: `POST http://127.0.0.1:41233/orders`. */
function addressOf({ routeKey }: HttpTrigger, address: string): string {
  return routeKey === '$default' ? `ANY ${address}` : routeKey.replace(' ', ` ${address}`);
}
