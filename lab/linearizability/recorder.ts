import { openSync, writeSync } from 'node:fs';
import { type HistoryAnswer, type HistoryRequest, type LogLine, momentSince } from './history.ts';

/** Makes a call, and writes down what was asked before it and what was answered after it. */
export type Record = <Outcome>(
  requests: readonly HistoryRequest[],
  call: () => Promise<readonly Outcome[]>,
  /** Null: the store could not say. */
  answerOf: (outcome: Outcome, request: HistoryRequest) => HistoryAnswer | null,
) => Promise<readonly (Outcome | undefined)[]>;

/**
 * Lines go to the file by a system call each, so that `kill -9` takes none of them along. Of two moments, that of the call
 * is earlier than the sending, and that of the return later than the answer.
 */
export function recorder(file: string, origin: bigint): Record {
  const log = openSync(file, 'a');
  const write = (line: LogLine): void => void writeSync(log, `${JSON.stringify(line)}\n`);
  let calls = 0;
  return async (requests, call, answerOf) => {
    const id = (calls += 1);
    write({ id, called: momentSince(origin), requests });
    const outcomes = await call().catch(() => requests.map(() => undefined));
    const returned = momentSince(origin);
    const answers = requests.map((request, index) => {
      const outcome = outcomes[index];
      return outcome === undefined ? null : answerOf(outcome, request);
    });
    write({ id, returned, answers });
    return outcomes;
  };
}
