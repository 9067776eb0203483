import type { Command } from 'commander';
import type { OutputOptions } from './arguments/common-options.ts';
import { withOptions } from './arguments/common-options.ts';
import type { Context } from './context.ts';
import { screenOf } from './print/screen.ts';
import type { ExitStatus, ProcessIo } from './process-io.ts';

/** The implementation of a command; called after its arguments are parsed. */
export type Run<Options> = (
  context: Context,
  options: Options,
  operands: readonly string[],
) => Promise<ExitStatus>;

/** A command with an implementation, unlike `claims`, which only groups others. */
export interface Subcommand<Options> {
  /** With its arguments, such as `show [key...]`. */
  readonly name: string;
  /** A line for lists of commands. */
  readonly summary: string;
  /** More text for the command's own help. */
  readonly description?: string;
  /** Examples for the end of the help, without `batchlatch`. */
  readonly examples: readonly string[];
  /** Whether a signal is its normal end: then it keeps its own exit status. */
  readonly isEndedBySignals?: boolean;
  /** Adds its options. */
  define(command: Command): void;
  /** Imports its implementation, so that a command loads only its own code. */
  load(): Promise<Run<Options>>;
}

/** Called with the exit status of the command, and whether a signal leaves that status unchanged. */
export type End = (status: ExitStatus, isOfSignals: boolean) => void;

/** Adds a command to a parent. */
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
      try {
        end(
          await run(context, options as Parameters<typeof run>[1], command.args),
          leaf.isEndedBySignals === true,
        );
      } finally {
        context.screen.progress(undefined); // or the error would stand behind it
      }
    });
  };
}

function descriptionOf({ summary, description }: Pick<Subcommand<never>, 'summary' | 'description'>): string {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return description === undefined ? sentence : `${sentence}\n\n${description}`;
}

/** Adds examples to the end of a command's help. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  batchlatch ${example}`).join('\n')}`,
  );
}
