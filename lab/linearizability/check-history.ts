import path from 'node:path';
import { checkerBinary } from '../../test/support/components/porcupine.ts';
import { writeClaimTable } from './claim-table.ts';
import { runCommand } from '../../test/support/components/run-command.ts';

/** What the checker prints. */
export interface Verdict {
  /**
   * `Unknown`: the time was not enough. Judging takes exponentially longer with operations at the same time: fewer processes or
   * kills make it shorter, and a machine that does less besides.
   */
  readonly result: 'Ok' | 'Illegal' | 'Unknown';
  readonly keys: number;
  readonly operations: number;
  readonly refused: readonly string[];
  readonly seconds: number;
}

/** Has porcupine judge a history, a key within a quarter of the time. Of one that is refused it draws a picture. */
export async function checkHistory(
  historyFile: string,
  withinS = 60,
): Promise<Verdict & { readonly picture: string }> {
  const picture = historyFile.replace(/\.jsonl$/, '.html');
  const output = await runCommand(await checkerBinary(), [
    '-table',
    writeClaimTable(path.dirname(historyFile)),
    '-history',
    historyFile,
    '-picture',
    picture,
    '-timeout',
    `${withinS}s`,
  ]);
  return { ...(JSON.parse(output) as Verdict), picture };
}
