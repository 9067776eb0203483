// Counts what one record costs on its way, and names the files that it enters. See --help.
import { Command } from 'commander';
import { dynamoDBStore, memoryStore } from './built.ts';
import { costsOf } from './costs.ts';
import { startDynamoDB, TABLE } from './dynamodb.ts';
import { linesOf, type Report } from './report.ts';
import { countSource } from './source-counts.ts';
import { traceSteps } from './steps.ts';

const { json, files } = new Command('lab:way')
  .description(
    'Counts what one record costs on its way with nothing logged, in the memory store and in DynamoDB (an emulator, requests ' +
      'without the SDK): calls (by V8), files, promises and bytes; the files that single steps enter, in order; and what ' +
      'the source has. The counts are the same on every machine, whatever else runs there.',
  )
  .option('--json', 'print JSON, with the names of all files', false)
  .option('--files', 'also print the files that each step enters, in order', false)
  .addHelpText(
    'after',
    '\nIt counts calls in the build: run `npm run build` first.\n\nExamples:\n' +
      '  npm run lab:way\n' +
      '  npm run lab:way -- --files\n' +
      '  npm run --silent lab:way -- --json',
  )
  .parse()
  .opts<{ readonly json: boolean; readonly files: boolean }>();

const emulator = await startDynamoDB();
try {
  const inDynamoDB = (): ReturnType<typeof dynamoDBStore> => dynamoDBStore({ tableName: TABLE });
  const report: Report = {
    costs: {
      'standard queue, memory store': await costsOf(memoryStore, false),
      'FIFO queue, memory store': await costsOf(memoryStore, true),
      'standard queue, DynamoDB': await costsOf(inDynamoDB, false),
      'FIFO queue, DynamoDB': await costsOf(inDynamoDB, true),
    },
    steps: await traceSteps(),
    source: await countSource(),
  };
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : linesOf(report, files).join('\n')}\n`);
} finally {
  await emulator.stop();
}
