import { type Command, InvalidArgumentError, Option } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { httpUrl } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';

/** Adds `batchlatch doctor`. */
export function addDoctorCommand(program: Command, addLeaf: AddSubcommand): void {
  addLeaf(program, {
    name: 'doctor',
    summary: 'find mistakes in a template or in what is deployed',
    description:
      'Each finding says what is wrong, what happens because of it, and the lines ' +
      'to write. The exit status is 1 if there is an error, for CI.',
    examples: [
      'doctor --template template.yaml',
      'doctor --template template.yaml --parameter Stage=prod --sarif > doctor.sarif',
      'doctor --function OrdersFunction',
      'doctor --postgres --table shop.claims',
      'doctor --redis --strict',
      'doctor --queue-url https://sqs.eu-west-1.amazonaws.com/123456789012/orders --table claims --json',
    ],
    define: (command) => {
      command
        .optionsGroup('What to look at:')
        .option(
          '--template <file>',
          'template of SAM or CloudFormation, or the exported state of SST or Pulumi',
          one,
        )
        .addOption(
          new Option('--parameter <name=value>', "value of one of the template's parameters; may be repeated")
            .argParser(parameter)
            .default({}, 'their defaults'),
        )
        .option('--function <name>', 'name or ARN of a deployed function, with its queues and table', one)
        .option('--queue-url <url>', 'URL of a deployed queue, with its functions', (url, before?: string) =>
          httpUrl(one(url, before)),
        )
        .option('--strict', 'let warnings count as errors')
        .option('--all', 'report also what many good setups do without');
      command.addOption(new Option('--sarif', 'print SARIF 2.1.0, for code scanning').helpGroup('Output:'));
      withOptions(command, 'table', 'connection', 'postgres', 'redis');
    },
    load: async () => (await import('./doctor-command.ts')).doctorCommand,
  });
}

/** Refuses a second value: the last one alone would be examined. */
function one(text: string, before?: string): string {
  if (before === undefined) return text;
  throw new InvalidArgumentError('Give one, and run doctor for each of several.');
}

function parameter(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([A-Za-z0-9]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Give Name=value.');
  return { ...before, [name]: value };
}
