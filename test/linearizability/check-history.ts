import path from 'node:path';
import { checkerBinary } from '../support/components/porcupine.ts';
import { writeClaimTable } from './claim-table.ts';
import { runCommand } from '../support/components/run-command.ts';

/** What the checker prints. */
export interface Verdict {
  /** `Unknown`: the time was not enough. */
  readonly result: 'Ok' | 'Illegal' | 'Unknown';
  readonly keys: number;
  readonly operations: number;
  readonly refused: readonly string[];
  readonly seconds: number;
}

const CHECK_WITHIN_S = 60;

/** Has porcupine judge a history. Of one that is refused it draws a picture. */
export async function checkHistory(historyFile: string): Promise<Verdict & { readonly picture: string }> {
  const picture = historyFile.replace(/\.jsonl$/, '.html');
  const output = await runCommand(await checkerBinary(), [
    '-table',
    writeClaimTable(path.dirname(historyFile)),
    '-history',
    historyFile,
    '-picture',
    picture,
    '-timeout',
    `${CHECK_WITHIN_S}s`,
  ]);
  const verdict = JSON.parse(output) as Verdict;
  if (verdict.result === 'Unknown') {
    throw new Error(
      `porcupine did not judge ${verdict.refused.join(', ')} of ${historyFile} within ${CHECK_WITHIN_S} s. It takes exponentially ` +
        'longer with operations at the same time: run it again, with fewer processes or kills, or on a machine that does less besides',
    );
  }
  return { ...verdict, picture };
}
