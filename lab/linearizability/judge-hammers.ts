import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { checkHistory, type Verdict } from './check-history.ts';
import { type HammersReport, type HammersSetup, runHammers } from './run-hammers.ts';
import type { Subject } from './subjects.ts';

/** Where histories and pictures go, and stay. */
export const REPORTS = path.resolve('reports/linearizability');
mkdirSync(REPORTS, { recursive: true });

export interface Judged {
  readonly report: HammersReport;
  readonly verdict: Verdict & { readonly picture: string };
  /** What happened, in a line. */
  readonly summary: string;
}

/** How bad the way to the server is: of a thousand messages, one in thirty breaks the connection. */
const RATES = { requestLost: 15, answerLost: 20, delayed: 100, longestDelayMs: 20 };

interface JudgedSetup extends Pick<
  HammersSetup,
  'program' | 'seed' | 'processes' | 'calls' | 'kills' | 'clockAheadMs'
> {
  /** How long judging may take. */
  readonly withinS?: number;
}

/** Runs hammers on an empty place of a server, and has their history judged. */
export async function judgeHammers(
  subject: Subject,
  server: LocalService,
  name: string,
  setup: JudgedSetup,
): Promise<Judged> {
  const historyFile = path.join(REPORTS, `${name.replaceAll(/\W+/g, '-')}.jsonl`);
  const report = await runHammers({
    ...setup,
    rates: RATES,
    store: await subject.newStore(server),
    historyFile,
  });
  const verdict = await checkHistory(historyFile, setup.withinS);
  const { operations, unknown, kills, requestsLost, answersLost } = report;
  const picture = verdict.result === 'Illegal' ? `; picture: ${verdict.picture}` : '';
  return {
    report,
    verdict,
    summary:
      `${name}: ${verdict.result}, ${operations} operations on ${verdict.keys} keys, ${unknown} of unknown outcome; ` +
      `${kills} kills, ${requestsLost} requests and ${answersLost} answers lost; judged in ${verdict.seconds.toFixed(2)} s${picture}`,
  };
}
