import { type Command, Option } from 'commander';
import { duration, httpUrl, integerBetween, rate, size } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';
import { processCount } from './process-count.ts';

const MOST = 100_000;

/** `batchlatch work` */
export function addWorkCommand(program: Command, addLeaf: AddSubcommand): void {
  addLeaf(program, {
    name: 'work <module>',
    summary: 'run the handler of a Lambda function on a queue',
    description:
      'Receives messages and calls the handler that the module exports. The module is JavaScript, or ' +
      'TypeScript if Node or tsx can load it. Ctrl-C or SIGTERM stops the worker: it receives nothing ' +
      'more, and ends when its handlers have ended. A second signal ends it at once. SIGHUP replaces ' +
      'one process after another. The environment sets region, credentials and claims table.',
    examples: [
      'work dist/orders.js --queue-url https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
      'work orders.ts --max-in-flight 20 --rate 100/1s --health-port 8080',
      'work dist/orders.js --processes 4 --memory-limit 512mb',
      'work dist/orders.js --processes 1',
    ],
    isEndedBySignals: true,
    define: (command) => {
      command
        .optionsGroup('Queue and handler:')
        .option('--queue-url <url>', 'URL of the queue (default: QUEUE_URL)', httpUrl)
        .addOption(new Option('--handler-export <name>', 'export of the module').default('handler'))
        .option(
          '--name <name>',
          "function name that handlers see, and namespace of their keys (default: the queue's name)",
        )
        .optionsGroup('Limits of all processes together:')
        .option('--max-in-flight <n>', 'messages in handlers at once (default: 100 in each)', upTo(MOST))
        .option(
          '--concurrency-per-group <n>',
          'messages of one message group at once (default: as many)',
          upTo(MOST),
        )
        .option('--rate <n/time>', 'the most messages to start in a period, such as 100/1s', rate)
        .option('--receivers <n>', 'concurrent receives of each process (default: 4)', upTo(1_000))
        .option(
          '--wait-time-seconds <n>',
          'how long a receive waits for messages, and so the stop of an idle worker (default: 20)',
          upTo(20),
        )
        .option('--shutdown-timeout <time>', 'the limit of a graceful stop (default: 25s)', duration)
        .optionsGroup('Processes:')
        .option('--processes <n>', 'the number of processes (default: cores)', processCount)
        .option('--memory-limit <size>', 'replace a process that uses more memory, such as 512mb', size)
        .optionsGroup('Health:')
        .option(
          '--health-port <port>',
          'answer /live, /ready and /metrics on this port',
          integerBetween(0, 65_535),
        )
        .option('--health-host <address>', 'address to listen on (default: 127.0.0.1)');
    },
    load: async () => (await import('./work-command.ts')).workCommand,
  });
}

function upTo(most: number): (text: string) => number {
  return integerBetween(1, most);
}
