// Counts what one record costs on its way, and names the files that it enters. See --help.
import { Command } from 'commander';
import { figuresOf, problemLine, problemsOf, raiseBudgets, readBudgets } from './budgets.ts';
import { dynamoDBStore, memoryStore } from './built.ts';
import { bundleSizes } from './bundle-sizes.ts';
import { costsOf } from './costs.ts';
import { startDynamoDB, TABLE } from './dynamodb.ts';
import { hiddenClassesOf } from './hidden-classes.ts';
import { linesOf, type Report } from './report.ts';
import { countSource } from './source-counts.ts';
import { traceSteps } from './steps.ts';

const { json, files, raise } = new Command('lab:way')
  .description(
    'Counts what one record costs on its way with nothing logged, in the memory store and in DynamoDB (an emulator, requests ' +
      'without the SDK): calls (by V8), files, promises, bytes and requests; the hidden classes that V8 makes for a batch; the files that single steps enter, in order; ' +
      'the bundles of what is imported; and what the source has. The counts are the same on every machine, whatever else ' +
      'runs there. Exits with 1 if one is above its budget in lab/way/budgets.json.',
  )
  .option('--json', 'print JSON, with the names of all files', false)
  .option(
    '--raise',
    'raise the budgets that are too low to what was counted, and say in the commit why',
    false,
  )
  .option('--files', 'also print the files that each step enters, in order', false)
  .addHelpText(
    'after',
    '\nIt counts calls in the build: run `npm run build` first.\n\nExamples:\n' +
      '  npm run lab:way\n' +
      '  npm run lab:way -- --files\n' +
      '  npm run --silent lab:way -- --json',
  )
  .parse()
  .opts<{ readonly json: boolean; readonly files: boolean; readonly raise: boolean }>();

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
    hiddenClasses: {
      'memory store': await hiddenClassesOf('memory store'),
      DynamoDB: await hiddenClassesOf('DynamoDB'),
    },
    steps: await traceSteps(),
    bundles: await bundleSizes(),
    source: await countSource(),
  };
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : linesOf(report, files).join('\n')}\n`);
  const budgets = readBudgets();
  const problems = problemsOf(figuresOf(report), budgets);
  if (raise) raiseBudgets(budgets, problems);
  else if (problems.length > 0) {
    const lines = problems.map((problem) => `  ${problemLine(problem)}\n`).join('');
    process.stderr.write(
      `\nOver budget:\n${lines}Take something away, or raise it and say why: npm run lab:way -- --raise\n`,
    );
    process.exitCode = 1;
  }
} finally {
  await emulator.stop();
}
