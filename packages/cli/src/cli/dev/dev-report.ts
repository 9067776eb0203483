import type { DevEvent, OnDevEvent } from '../../dev/report/dev-event.ts';
import { type OutcomeReader, outcomeReader, type RecordOutcome } from '../../dev/report/outcomes.ts';
import { countRecords, recordNames, requestName } from '../../dev/report/record-names.ts';
import { reportedFailures } from '../../dev/report/reported-failures.ts';
import type { DevFunction } from '../../dev/stack.ts';
import type { Context } from '../context.ts';
import type { Style } from '../print/screen.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { shownError, shownLine, shownMessages } from './function-lines.ts';

/** An invocation in progress. */
interface Running {
  readonly event: unknown;
  readonly names: ReadonlyMap<string, string>;
  readonly records: number;
  /** The method and path, if it is an HTTP request. */
  readonly request: string | undefined;
  /** Whether batchlatch has logged an outcome for it. */
  isObserved: boolean;
}

type Invoked = DevEvent & { readonly type: 'invoked' };
type Of<Type extends DevEvent['type']> = DevEvent & { readonly type: Type };

const REPORTED = 'reported in batchItemFailures';

const STYLES: Readonly<Record<RecordOutcome['weight'], Style>> = {
  good: 'green',
  quiet: 'dim',
  warning: 'yellow',
  bad: 'red',
};

/**
 * Returns a listener that prints a line for the outcome of each record, and for each invocation that failed
 * or whose handler does not use batchlatch. The output of functions goes to standard error.
 */
export function devReport(context: Context, functions: readonly DevFunction[]): OnDevEvent {
  const { screen, now } = context;
  const functionIds = functions.map(({ id }) => id);
  const readers = new Map<string, OutcomeReader>(functionIds.map((id) => [id, outcomeReader()]));
  const running = new Map<string, Running>();
  const haveRun = new Set<string>();
  const width = Math.max(...functionIds.map((id) => id.length), 0);

  function line(functionId: string, parts: readonly string[]): void {
    const time = screen.paint('dim', clockTime(now()));
    const shown = parts.filter((part) => part !== '');
    screen.line([`${time} ${escapeControls(functionId).padEnd(width)}`, ...shown].join('  '));
  }

  function printed({ functionId, line: { text, stream } }: Of<'printed'>): void {
    const logged = readers.get(functionId)?.read(text);
    if (logged === undefined) {
      if (screen.isJson)
        screen.json({ type: 'log', time: timeOf(now()), function: functionId, stream, line: text }, 'line');
      else
        screen.note(
          `${screen.paint('dim', `${escapeControls(functionId).padEnd(width)} |`)} ${shownLine(text)}`,
        );
      return;
    }
    const invocation = running.get(logged.requestId ?? '');
    if (invocation !== undefined) invocation.isObserved = true;
    for (const outcome of logged.outcomes) recordEnded(functionId, outcome, invocation);
  }

  function recordEnded(functionId: string, outcome: RecordOutcome, invocation: Running | undefined): void {
    const { recordId, weight, durationMs, attempt, reason } = outcome;
    const name = invocation?.names.get(recordId) ?? recordId;
    if (screen.isJson) {
      const { weight: _, ...shown } = outcome;
      screen.json({ type: 'record', time: timeOf(now()), function: functionId, name, ...shown }, 'line');
      return;
    }
    line(functionId, [
      escapeControls(name),
      screen.paint(STYLES[weight], outcome.outcome),
      durationMs === undefined ? '' : milliseconds(durationMs),
      attempt === undefined || attempt < 2 ? '' : `attempt ${attempt}`,
      reason === undefined ? '' : screen.paint('dim', escapeControls(reason.replace(/\s*\n\s*/g, ' '))),
    ]);
  }

  function invoked({ functionId, invocation: { requestId, end, durationMs, initMs } }: Invoked): void {
    const invocation = running.get(requestId);
    const { records = 0, isObserved = false } = invocation ?? {};
    const fn = functions.find(({ id }) => id === functionId);
    const failed = fn === undefined ? [] : [...reportedFailures(fn, invocation?.event, end)];
    running.delete(requestId);
    for (const outcome of readers.get(functionId)?.rest(requestId) ?? []) {
      recordEnded(functionId, outcome, invocation);
    }
    if (screen.isJson) {
      const { type: ended, ...rest } = end.type === 'returned' ? { type: end.type } : end;
      screen.json(
        {
          type: 'invocation',
          time: timeOf(now()),
          function: functionId,
          requestId,
          records,
          end: ended,
          ...(failed.length > 0 && { failed }),
          ...rest,
          durationMs,
          initMs,
        },
        'line',
      );
      return;
    }
    // A line of its own follows an HTTP request.
    if (end.type === 'returned' && (isObserved || invocation?.request !== undefined)) return;
    const what = invocation === undefined ? 'no records' : nameOf(invocation);
    switch (end.type) {
      case 'returned':
        for (const id of failed) {
          const name = escapeControls(invocation?.names.get(id) ?? id);
          line(functionId, [name, screen.paint('red', 'failed'), milliseconds(durationMs), REPORTED]);
        }
        if (failed.length === 0) {
          line(functionId, [what, screen.paint('green', 'done'), milliseconds(durationMs)]);
        } else if (failed.length < records) {
          const others = counted(records - failed.length);
          line(functionId, [others, screen.paint('green', 'done'), milliseconds(durationMs)]);
        }
        return;
      case 'throttled':
        return line(functionId, [
          what,
          screen.paint('yellow', 'throttled'),
          'its reserved concurrency is in use',
        ]);
      case 'failed':
        line(functionId, [
          what,
          screen.paint('red', 'failed'),
          milliseconds(durationMs),
          shownError(end.error),
        ]);
        for (const frame of framesOf(end.error.trace)) screen.note(screen.paint('dim', shownLine(frame)));
    }
  }

  function built({ functionId, isFirst }: Of<'built'>): void {
    haveRun.add(functionId);
    if (screen.isJson)
      screen.json({ type: 'build', time: timeOf(now()), function: functionId, isFirst }, 'line');
    else if (!isFirst) line(functionId, [screen.paint('cyan', 'reloaded')]);
  }

  function buildFailed({ functionId, messages }: Of<'buildFailed'>): void {
    if (screen.isJson)
      screen.json({ type: 'build', time: timeOf(now()), function: functionId, messages }, 'line');
    else {
      line(functionId, [screen.paint('red', 'not built'), whatNow(functionId)]);
      for (const text of shownMessages(messages)) screen.note(text);
    }
  }

  function whatNow(functionId: string): string {
    return haveRun.has(functionId)
      ? 'the code before it stays in use'
      : 'it is not invoked until its source is corrected';
  }

  function givenUp({ functionId, condition, attempts, sentTo }: Of<'givenUp'>): void {
    if (screen.isJson) {
      const shown = { function: functionId, condition, attempts, sentTo };
      screen.json({ type: 'givenUp', time: timeOf(now()), ...shown }, 'line');
      return;
    }
    const where = sentTo.length === 0 ? 'and lost' : `and sent to ${sentTo.map(escapeControls).join(', ')}`;
    line(functionId, [screen.paint('red', 'given up'), `after ${attempts} attempts ${where}`]);
  }

  function answered(event: Of<'answered'>): void {
    const { functionId, endpointId, method, path, status, durationMs, reason } = event;
    if (screen.isJson) {
      const shown = { function: functionId, endpoint: endpointId, method, path, status, durationMs, reason };
      screen.json({ type: 'request', time: timeOf(now()), ...shown }, 'line');
      return;
    }
    const style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
    line(functionId ?? endpointId, [
      escapeControls(`${method} ${path}`),
      screen.paint(style, String(status)),
      milliseconds(durationMs),
      escapeControls(reason ?? ''),
    ]);
  }

  return (event) => {
    switch (event.type) {
      case 'built':
        return built(event);
      case 'buildFailed':
        return buildFailed(event);
      case 'invoking':
        running.set(event.requestId, {
          event: event.event,
          names: recordNames(event.event),
          records: countRecords(event.event),
          request: requestName(event.event),
          isObserved: false,
        });
        return;
      case 'printed':
        return printed(event);
      case 'invoked':
        return invoked(event);
      case 'givenUp':
        return givenUp(event);
      case 'answered':
        return answered(event);
      case 'trouble':
        return screen.note(
          `${clockTime(now())} No answer from ${escapeControls(event.what)}: ` +
            `${escapeControls(String(event.error))}. ` +
            (event.isLost === true ? 'The event is lost.' : 'Trying again.'),
        );
    }
  };
}

/** Returns the request, or the name of the only record if its payload has one, else the number of records. */
function nameOf({ names, records, request }: Running): string {
  if (request !== undefined) return escapeControls(request);
  const [[id, name] = []] = names;
  if (records === 1 && name !== undefined && name !== id) return escapeControls(name);
  return counted(records);
}

function counted(records: number): string {
  return `${records} ${records === 1 ? 'record' : 'records'}`;
}

/** Returns the stack frames of the function's own code, without those of Node and its process. */
function framesOf(trace: readonly string[] = []): readonly string[] {
  return trace
    .slice(1)
    .filter((frame) => !/node:internal|\bfunction-process\.m?js\b|node:events/.test(frame));
}

function milliseconds(ms: number): string {
  return `${Math.round(ms)} ms`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns the time of day in the local time zone. */
function clockTime(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}
