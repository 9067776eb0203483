import type { Command } from 'commander';
import type { OutputOptions } from './arguments/common-options.ts';
import { withOptions } from './arguments/common-options.ts';
import type { Context } from './context.ts';
import { screenOf } from './print/screen.ts';
import type { ExitStatus, ProcessIo } from './process-io.ts';

/** What a command does, once its arguments are read. */
export type Run<Options> = (
  context: Context,
  options: Options,
  operands: readonly string[],
) => Promise<ExitStatus>;

/** A command that does something, unlike `claims`, which only holds others. */
export interface Subcommand<Options> {
  /** With its arguments, such as `show [key...]`. */
  readonly name: string;
  /** For lists of commands. */
  readonly summary: string;
  /** Further lines for the command's own help. */
  readonly description?: string;
  /** Without `batchlatch`; the help ends with them. */
  readonly examples: readonly string[];
  /** A signal is how it ends, and not what breaks it off: its exit status is its own then too. */
  readonly isEndedBySignals?: boolean;
  /** Gives it its options. */
  define(command: Command): void;
  /** Loads what it needs: a command loads no more than its own part. */
  load(): Promise<Run<Options>>;
}

/** Told the exit status of the command that ran, and whether it is the same if a signal ended it. */
export type End = (status: ExitStatus, isOfSignals: boolean) => void;

/** Adds commands to a parent; `end` is told how the one that ran ended. */
export type AddSubcommand = <Options>(parent: Command, leaf: Subcommand<Options>) => void;

export function addSubcommandIn(surroundings: ProcessIo, end: End): AddSubcommand {
  return (parent, leaf) => {
    const command = parent.command(leaf.name).summary(leaf.summary).description(descriptionOf(leaf));
    leaf.define(command);
    withOptions(command, 'output');
    withExamples(command, leaf.examples);
    command.action(async () => {
      const options = command.optsWithGlobals<OutputOptions>();
      const context: Context = { ...surroundings, screen: screenOf(surroundings, options) };
      const run = await leaf.load();
      end(
        await run(context, options as Parameters<typeof run>[1], command.args),
        leaf.isEndedBySignals === true,
      );
    });
  };
}

function descriptionOf({ summary, description }: Pick<Subcommand<never>, 'summary' | 'description'>): string {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return description === undefined ? sentence : `${sentence}\n\n${description}`;
}

/** Ends the help of a command with examples. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  batchlatch ${example}`).join('\n')}`,
  );
}
