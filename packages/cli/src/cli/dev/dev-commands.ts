import type { Command } from 'commander';
import { integerBetween } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';
import { withStackOptions } from './stack-options.ts';

/** Adds `batchlatch dev` and `batchlatch invoke`. */
export function addDevCommands(program: Command, addLeaf: AddSubcommand): void {
  addLeaf(program, {
    name: 'dev',
    summary: 'run a template on this machine, without Docker',
    description:
      'Starts emulators of DynamoDB and SQS, creates the resources of the template in ' +
      'them, and invokes its functions, each in its own process, as their event sources ' +
      'demand, until Ctrl-C. HTTP APIs and function URLs are served on the loopback ' +
      'interface. Changed source files are rebuilt at once.',
    examples: [
      'dev',
      'dev --template template.yaml --parameter-overrides Stage=dev --env-vars env.json',
      'dev --function OrdersFunction --port-sqs 9324 --json',
      'dev --port-http 3000',
      'dev --console',
    ],
    define: (command) => {
      withStackOptions(command)
        .option('--function <name...>', 'run these functions only')
        .option('--port-dynamodb <n>', 'port of DynamoDB (default: a free one)', integerBetween(1, 65_535))
        .option('--port-sqs <n>', 'port of SQS (default: a free one)', integerBetween(1, 65_535))
        .option(
          '--port-http <n>',
          'port of the first HTTP API or function URL, the next ones for others (default: free ones)',
          integerBetween(1, 65_535),
        )
        .option(
          '--allow-host <name...>',
          'names by which containers reach the services, such as host.docker.internal',
        )
        .option('--inspect [function]', 'let a debugger attach to this function, one invocation at a time')
        .option('--no-reload', 'do not rebuild changed source files')
        .optionsGroup('Console:')
        .option('--console', 'show its claims and queues in a browser, and let it change them')
        .option(
          '--console-table <name>',
          'claims table, by its logical id or name (default: the first with the key id and TTL on expiresAt)',
        )
        .option('--port-console <n>', 'port of the console (default: a free one)', integerBetween(1, 65_535));
    },
    load: async () => (await import('./dev-command.ts')).devCommand,
  });
  addLeaf(program, {
    name: 'invoke [function]',
    summary: 'run a function of a template once, on this machine',
    description:
      'Takes the options of `sam local invoke` and prints what it prints: the ' +
      'answer, or the error, on standard output, and the log on standard error. ' +
      'The exit status is 0 for an error of the function too.',
    examples: [
      'invoke OrdersFunction --event event.json',
      'invoke OrdersFunction -e - -t template.yaml --env-vars env.json < event.json',
    ],
    define: (command) => {
      withStackOptions(command)
        .option('-e, --event <file>', 'file with the event, in JSON, or - (default: an empty event)')
        .option('--region <region>', 'AWS_REGION of the function (default: us-east-1)');
    },
    load: async () => (await import('./invoke-command.ts')).invokeCommand,
  });
}
