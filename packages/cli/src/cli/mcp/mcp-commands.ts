import { type Command, Option } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { httpUrl, textUpTo } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';

/** Adds `batchlatch mcp`. */
export function addMcpCommand(program: Command, addLeaf: AddSubcommand): void {
  addLeaf(program, {
    name: 'mcp',
    summary: 'serve claims and dead letters to an AI assistant',
    description:
      'Serves the Model Context Protocol on standard input and output, for the configuration of an ' +
      'assistant that starts it. It only reads unless --allow-changes is given. Bodies and stored results ' +
      'are never shown.',
    examples: [
      'mcp --table claims',
      'mcp --table claims --queue orders-dead-letters --allow-changes',
      'mcp --postgres',
    ],
    isEndedBySignals: true,
    define: (command) => {
      command
        .optionsGroup('Queue:')
        .option('--queue-url <url>', 'URL of the dead-letter queue, for the tools of dead letters', httpUrl)
        .option('--queue <name>', 'name of the dead-letter queue')
        .option(
          '--use-receives',
          'also read a queue that has its own redrive policy; each read counts as a receive',
        )
        .option('--namespace <namespace>', 'namespace of the processor, if its keys are message ids');
      command.addOption(
        new Option('--allow-changes', 'add the tools that release, resolve and redrive').helpGroup(
          'Changes:',
        ),
      );
      command.addOption(
        new Option('--operator <name>', 'who does it; kept on the claims (default: user@host, by mcp)')
          .argParser(textUpTo(128))
          .helpGroup('Changes:'),
      );
      withOptions(command, 'table', 'connection', 'format', 'postgres', 'redis', 'prefix');
    },
    load: async () => (await import('./mcp-command.ts')).mcpCommand,
  });
}
