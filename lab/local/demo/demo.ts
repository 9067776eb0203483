/** The demo: `npm start`, or `npm start -- --help`. */
import '../../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { createDemoDisplay } from './demo-display.ts';
import type { StoreName } from './demo-store.ts';
import { FEWEST_MESSAGES } from './order-messages.ts';
import type { DemoOptions } from './run-demo.ts';
import { isAllWell, summarize } from './summary.ts';
import { summaryLines } from './summary-lines.ts';

const EXIT_CODE_OF = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

await new Command('npm start --')
  .description(
    'Runs a function on a queue of orders, against emulators on this machine (that of examples/orders on DynamoDB): orders that ' +
      'come twice, malformed ones, one that is always declined, one that is declined twice, one that kills its ' +
      'process. Then counts, from the log of charges and the queues, what became of them.',
  )
  .option('--messages <n>', `messages to send, ${FEWEST_MESSAGES} or more`, integerFrom(FEWEST_MESSAGES), 500)
  .option('--seed <n>', 'for other orders, in another sequence', integerFrom(0), 1)
  .option('--concurrency <n>', 'processes that run the function, one batch at a time each', integerFrom(1), 3)
  .option('--dynamodb-endpoint <url>', 'use this DynamoDB emulator instead of starting one', httpUrl)
  .addOption(
    new Option('--store <store>', 'where the claims are')
      .choices(['dynamodb', 'postgres', 'redis'])
      .default('dynamodb'),
  )
  .addOption(serverOption('postgres', 'PostgreSQL', urlOf('postgres', 'postgresql')))
  .addOption(serverOption('redis', 'Redis', urlOf('redis', 'rediss')))
  .option('--json', 'print the summary as one JSON object, alone on standard output if npm is --silent')
  .option('--console', 'show its claims and queues in a browser, until Ctrl-C')
  .option('--rate <n>', 'messages sent in a second (default: all at once; with --console 10)', integerFrom(1))
  .option('--slowness <n>', 'n times longer timeouts, for a machine that is busy', integerFrom(1), 1)
  .option('--verbose', "show the library's log lines")
  .addHelpText(
    'after',
    `
Examples:
  npm start
  npm start -- --messages 2000 --concurrency 4
  npm start --silent -- --json --seed 7
  npm start -- --dynamodb-endpoint http://127.0.0.1:8000
  npm start -- --store postgres
  npm start -- --console --rate 5
  npm start -- --store redis --redis-url redis://127.0.0.1:6379

The exit status is 1 when anything was lost, left over or charged twice.`,
  )
  .action(main)
  .parseAsync();

async function main(options: DemoOptions & { json?: true }): Promise<void> {
  const stopping = new AbortController();
  let isReported = false;
  for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (!isReported) process.exitCode = EXIT_CODE_OF[name];
      stopping.abort();
    });
  }
  const display = createDemoDisplay(options.json ? process.stderr : process.stdout, {
    bar: !options.verbose,
  });

  try {
    // Not loaded for --help, nor for a mistake.
    const { runDemo } = await import('./run-demo.ts');
    await runDemo(options, display, stopping.signal, ({ sent, remains }) => {
      isReported = true;
      const summary = summarize(sent, remains);
      const seconds = Number((performance.now() / 1_000).toFixed(1));
      if (options.json) console.log(JSON.stringify({ ...summary, seconds }));
      else {
        display.line();
        for (const line of summaryLines(summary, sent, remains, display.paint)) display.line(line);
      }
      if (!isAllWell(summary)) process.exitCode = 1;
    });
  } catch (error) {
    if (stopping.signal.aborted && !isReported) return display.line('Stopped.');
    console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** A server that is named is the one that is meant. */
function serverOption(store: StoreName, name: string, parse: (text: string) => string): Option {
  return new Option(
    `--${store}-url <url>`,
    `use this ${name} instead of starting one (implies --store ${store})`,
  )
    .argParser(parse)
    .implies({ store })
    .conflicts(store === 'postgres' ? 'redisUrl' : 'postgresUrl');
}

function integerFrom(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= least && text.trim() !== '') return value;
    throw new InvalidArgumentError(`Expected an integer from ${least} up.`);
  };
}

/** What is refused may hold a password: commander would show it. */
function urlOf(...protocols: string[]): (text: string) => string {
  return (text) => {
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1))) return text;
    console.error(`error: Expected a URL such as ${protocols[0]}://127.0.0.1.`);
    process.exit(1);
  };
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'http:') return text;
  throw new InvalidArgumentError('Expected the URL of an emulator, such as http://127.0.0.1:8000.');
}
