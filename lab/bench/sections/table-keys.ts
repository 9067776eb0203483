import type { Lab } from '../harness/lab.ts';
import { startFilledEmulator } from '../harness/filled-emulator.ts';
import type { Progress } from '../harness/progress.ts';
import type { Plan } from '../plan.ts';
import { type Cell, measureCell } from './cells.ts';
import { COMPARED } from '../compared.ts';
import { warmUp } from './warm-up.ts';

export interface TableKeysFigures {
  /** Rows in the table before the first batch. */
  readonly keys: number;
  readonly cell: Cell;
}

/** The same batches against tables with more and more keys in them. */
export async function measureTableKeys(
  lab: Lab,
  { warmUpMs, tableKeys: { sizes, cell } }: Plan,
  progress: Progress,
): Promise<TableKeysFigures[]> {
  await warmUp(lab, COMPARED, warmUpMs, progress);
  progress.section('keys in the table', sizes.length);
  const figures: TableKeysFigures[] = [];
  for (const keys of sizes) {
    const filled = lab.add(await startFilledEmulator(keys));
    figures.push({ keys, cell: await measureCell(lab, cell, COMPARED, 'powertools', filled) });
    await filled.stop();
    progress.step(`${keys} keys`);
  }
  return figures;
}
