import type { Loss } from './fault-proxy.ts';
import type { HistoryLine, HistoryRequest, LogLine, Moment } from './history.ts';

/** How much later a proxy may see that a client gave up on a connection. */
const SEEN_WITHIN_NS = 1e9;

/**
 * A client's operations. Where the answer to a sending was lost, the store sends again by itself, and the first sending may
 * have happened or not: it is an operation of its own, whose answer nobody knows. It happened before the proxy lost its answer;
 * where the server had not begun to answer, at any time.
 */
export function operationsOf(client: number, log: string, losses: readonly Loss[]): HistoryLine[] {
  const returns = new Map<number, Extract<LogLine, { readonly returned: Moment }>>();
  const calls: Extract<LogLine, { readonly called: Moment }>[] = [];
  for (const line of linesOf(log)) {
    if ('called' in line) calls.push(line);
    else returns.set(line.id, line);
  }
  return calls.flatMap(({ id, called, requests }) => {
    const end = returns.get(id);
    const returnedAt = end?.returned.at ?? Infinity;
    const own = losses.filter(
      ({ when, of }) =>
        when.at >= called.at && when.at <= returnedAt + (of === 'either' ? SEEN_WITHIN_NS : 0),
    );
    const mayBeDone = own.filter(({ of }) => of !== 'request');
    return requests.flatMap((request, index) => {
      const line = (until: Moment | undefined, answer: HistoryLine['answer']): HistoryLine => ({
        client,
        call: called.at,
        return: until?.at ?? null,
        request: {
          ...request,
          from: called.epochMs,
          until: until?.epochMs ?? 0,
          wasResent: own.length > 0,
        },
        answer,
      });
      const answer = end?.answers[index] ?? null;
      const lost = isWrite(request)
        ? mayBeDone.map(({ when, of }) => line(of === 'either' ? undefined : when, null))
        : [];
      if (answer === null && !isWrite(request)) return [];
      return [...lost, line(answer === null ? undefined : end?.returned, answer)];
    });
  });
}

function isWrite({ op }: HistoryRequest): boolean {
  return op !== 'inspect';
}

/** A process that was killed may have left half a line. */
function linesOf(log: string): LogLine[] {
  const lines = log.split('\n');
  const rest = lines.pop();
  if (rest !== undefined && rest !== '')
    process.stderr.write(`half a line of a process that was killed: ${rest}\n`);
  return lines.map((line) => JSON.parse(line) as LogLine);
}
