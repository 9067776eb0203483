import { type Command, Option } from 'commander';
import { duration, httpUrl, integerBetween, rate, size } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';
import { processCount } from './process-count.ts';

const MOST = 100_000;

/** `batchlatch work` */
export function addWorkCommand(program: Command, addLeaf: AddSubcommand): void {
  addLeaf(program, {
    name: 'work <module>',
    summary: 'work a queue with the handler of a Lambda function',
    description:
      'Receives messages and calls the handler that the module exports (JavaScript, or TypeScript where Node or tsx can load it), until Ctrl-C or SIGTERM: then it receives nothing more, and ends when what runs has ended. A second signal ends it at once. SIGHUP replaces one process after another. Region, credentials and the claims table are those of the environment.',
    examples: [
      'work dist/orders.js --queue-url https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
      'work orders.ts --max-in-flight 20 --rate 100/1s --health-port 8080',
      'work dist/orders.js --processes 4 --memory-limit 512mb',
      'work dist/orders.js --processes 1',
    ],
    isEndedBySignals: true,
    define: (command) => {
      command
        .optionsGroup('What to work:')
        .option('--queue-url <url>', 'URL of the queue (default: QUEUE_URL)', httpUrl)
        .addOption(new Option('--handler-export <name>', 'export of the module').default('handler'))
        .option(
          '--name <name>',
          "function name that handlers see, and namespace of their keys (default: the queue's name)",
        )
        .optionsGroup('How much, in all processes together:')
        .option('--max-in-flight <n>', 'messages in handlers at once (default: 100 in each)', upTo(MOST))
        .option('--concurrency-per-group <n>', 'of them, of one message group (default: as many)', upTo(MOST))
        .option('--rate <n/time>', 'how many messages may start in a time, such as 100/1s', rate)
        .option('--receivers <n>', 'the most receives at a time, in each process (default: 4)', upTo(1_000))
        .option('--shutdown-timeout <time>', 'how long a stop may take (default: 25s)', duration)
        .optionsGroup('Processes:')
        .option('--processes <n>', 'how many receive, each for itself (default: cores)', processCount)
        .option('--memory-limit <size>', 'replace a process that has more memory, such as 512mb', size)
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
