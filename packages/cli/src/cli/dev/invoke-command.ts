import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { BuildFailedError } from '../../dev/functions/function-build.ts';
import type { Invocation } from '../../dev/functions/ipc-messages.ts';
import { invokeOnce } from '../../dev/functions/invoke-once.ts';
import { LOCAL_REGION } from '../../dev/places.ts';
import type { DevFunction, DevStack } from '../../dev/stack.ts';
import type { OutputOptions } from '../arguments/common-options.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { unreadable } from '../unreadable.ts';
import { escapeControls, visibleJsonText } from '../../text/escape-controls.ts';
import { shownLine, shownMessages } from './function-lines.ts';
import { givenPlaces, isWithoutPlaces, withGivenCredentials } from './given-places.ts';
import { loadEsbuild } from './load-esbuild.ts';
import { type StackOptions, stackOf } from './stack-options.ts';

interface InvokeOptions extends OutputOptions, StackOptions {
  readonly event?: string;
  readonly region?: string;
}

/** `invoke` */
export const invokeCommand: Run<InvokeOptions> = async (context, options, [functionName]) => {
  const { screen, signal } = context;
  const { stack, variables } = await stackOf(options, givenPlaces(context.env));
  const fn = withGivenCredentials(chosenFunction(stack, functionName), variables);
  const payload = await eventText(context, options.event);
  for (const note of stack.invocationNotes.get(fn.id) ?? []) screen.note(`Note: ${escapeControls(note)}`);
  if (isWithoutPlaces(fn) && stack.queues.length + stack.tables.length > 0) screen.note(WITHOUT_PLACES);
  const requestId = randomUUID();
  try {
    const invocation = await invokeOnce({
      fn,
      region: options.region ?? LOCAL_REGION,
      requestId,
      payload,
      loadEsbuild,
      onStart: () => screen.note(`START RequestId: ${requestId} Version: $LATEST`),
      onLine: ({ text: line }) => screen.note(shownLine(line)),
      signal,
    });
    if (!signal.aborted) report(context, fn, invocation);
  } catch (error) {
    if (error instanceof BuildFailedError) throw buildError(context, error);
    throw error;
  }
  return 0;
};

const WITHOUT_PLACES =
  'No endpoint of SQS and DynamoDB is set, so the function reaches none. Export AWS_ENDPOINT_URL_SQS and ' +
  'AWS_ENDPOINT_URL_DYNAMODB as `batchlatch dev` prints them, or give them with --env-vars.';

function chosenFunction(
  { functions, notes, invocationNotes }: DevStack,
  name: string | undefined,
): DevFunction {
  const ids = functions.map(({ id }) => id);
  const [only] = functions;
  if (only === undefined) {
    throw new CliError(`The template has no function that runs here. ${notes.join(' ')}`.trim());
  }
  if (name === undefined) {
    if (functions.length === 1) return only;
    throw new CliError(`Say which function: ${ids.join(', ')}.`);
  }
  const found = functions.find((fn) => fn.id === name) ?? functions.find((fn) => fn.name === name);
  if (found !== undefined) return found;
  const why = invocationNotes.get(name)?.join(' ');
  if (why !== undefined) throw new CliError(why);
  throw new CliError(`The template has no function ${name} that runs here; it has ${ids.join(', ')}.`);
}

/** Returns the text of the event; empty without a file, as in `sam local invoke`. */
async function eventText({ stdin }: Context, file: string | undefined): Promise<string> {
  if (file === undefined) return '{}';
  const where = file === '-' ? 'on standard input' : `in ${file}`;
  const given = await (file === '-' ? text(stdin) : readFile(file, 'utf8')).catch((error: Error) => {
    throw unreadable(`The file ${file} of --event`, error);
  });
  try {
    JSON.parse(given);
  } catch (error) {
    throw new UsageError(`The event ${where} is not JSON: ${(error as Error).message}`);
  }
  return given;
}

/** Prints the end of Lambda's log to standard error, and the function's answer to standard output. */
function report({ screen, stdout }: Context, fn: DevFunction, invocation: Invocation): void {
  const { requestId, end, durationMs, initMs } = invocation;
  if (end.type === 'failed' && end.by === 'timeout') {
    screen.note(`Function '${escapeControls(fn.id)}' timed out after ${fn.timeoutMs / 1_000} seconds`);
  }
  screen.note(`END RequestId: ${requestId}`);
  screen.note(
    [
      `REPORT RequestId: ${requestId}`,
      ...(initMs === undefined ? [] : [`Init Duration: ${initMs.toFixed(2)} ms`]),
      `Duration: ${durationMs.toFixed(2)} ms`,
      `Billed Duration: ${Math.ceil(durationMs)} ms`,
      `Memory Size: ${fn.memoryMb} MB`,
    ].join('\t'),
  );
  if (end.type === 'returned') stdout.write(`${visibleJsonText(end.payload)}\n`);
  else if (end.type === 'failed' && end.by !== 'timeout') screen.json(end.error, 'line');
}

function buildError({ screen }: Context, error: BuildFailedError): CliError {
  for (const line of shownMessages(error.messages)) screen.note(line);
  return new CliError(error.message);
}
