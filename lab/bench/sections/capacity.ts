import { startDynamoDBProxy } from '../../local/emulators/dynamodb-proxy.ts';
import { bytesOf, type Item, type Touched, touchedBy, unitsFor } from '../capacity-units.ts';
import type { ContenderName } from '../contenders/index.ts';
import { rawDynamoDB } from '../contenders/raw-dynamodb.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { nextCell } from '../harness/rounds.ts';
import type { Plan } from '../plan.ts';
import { nameOf, type Workload } from '../workload.ts';
import { USED } from '../compared.ts';

/** What DynamoDB charges for a record, in on-demand request units. */
export interface CapacityFigures {
  readonly contender: ContenderName;
  readonly workload: Workload;
  readonly writeUnits: number;
  readonly readUnits: number;
  /** The largest row in the table afterwards; 0 where there is none. */
  readonly rowBytes: number;
}

/** Counts the rows in the requests of one batch, which pass through a proxy in front of the emulator. */
export async function measureCapacity(
  lab: Lab,
  { capacity }: Plan,
  progress: Progress,
): Promise<CapacityFigures[]> {
  progress.section('capacity units', capacity.length * USED.length);
  let touched: Touched = { writes: 0, reads: 0 };
  const proxy = lab.add(
    await startDynamoDBProxy(lab.emulator.endpoint, ({ operation, body }) => {
      if (operation === 'CreateTable') return undefined;
      const { writes, reads } = touchedBy(operation, body);
      touched = { writes: touched.writes + writes, reads: touched.reads + reads };
      return undefined;
    }),
  );
  const figures: CapacityFigures[] = [];
  for (const workload of capacity) {
    for (const contender of USED) {
      const seed = nextCell();
      const tableName = `${contender}-${seed}`;
      const job = { contender, endpoint: proxy.endpoint, tableName, workload, batches: 1, seed };
      const worker = lab.workerOf(contender);
      await worker.run('batches', { ...job, part: 'before' });
      touched = { writes: 0, reads: 0 };
      await worker.run('batches', { ...job, part: 'batches' });
      const rowBytes = await largestRow(lab.emulator.endpoint, tableName);
      const { writes, reads } = unitsFor(touched, rowBytes);
      const { size } = workload;
      figures.push({ contender, workload, writeUnits: writes / size, readUnits: reads / size, rowBytes });
      progress.step(`${contender}, ${nameOf(workload)}`);
    }
  }
  await proxy.stop();
  return figures;
}

async function largestRow(endpoint: string, TableName: string): Promise<number> {
  const { output } = await rawDynamoDB(endpoint)('Scan', { TableName, Limit: 100 });
  const { Items = [] } = output as { readonly Items?: readonly Item[] };
  return Math.max(0, ...Items.map(bytesOf));
}
