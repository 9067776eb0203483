import type { Command } from 'commander';

/** The words that may follow a command. */
export interface Words {
  /** The command without the program's name: `claims list`; empty for the program itself. */
  readonly path: string;
  /** Its subcommands; if it has none, the values of its first operand. */
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
}

/** A word and its description. */
export interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** An option: `--state`. */
export interface OptionWord extends Word {
  /** Its value. `nothing`: it is a switch. `text`: any text. */
  readonly value: 'nothing' | 'text' | 'file' | readonly string[];
}

/** Reads the words from the commands themselves, for the scripts of all shells. */
export function wordsOf(program: Command): Words[] {
  return visit(program, '');
}

function visit(command: Command, path: string): Words[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const options = help.visibleOptions(command).flatMap((option): OptionWord[] => {
    const { long, description, argChoices, required, optional } = option;
    if (long === undefined || long === null) return [];
    const value = !required && !optional ? 'nothing' : (argChoices ?? (isFile(long) ? 'file' : 'text'));
    return [{ word: long, meaning: description, value }];
  });
  const own = {
    path,
    commands: [
      ...commands.map((one) => ({ word: one.name(), meaning: one.summary() })),
      ...operandsOf(command),
    ],
    options,
  };
  return [own, ...commands.flatMap((one) => visit(one, `${path} ${one.name()}`.trimStart()))];
}

/** Returns the values of the first operand, such as the shells of `completion`. */
function operandsOf({ registeredArguments: [first] }: Command): Word[] {
  return (first?.argChoices ?? []).map((word) => ({ word, meaning: first?.description ?? '' }));
}

function isFile(long: string): boolean {
  return long === '--template' || long === '--bodies';
}

/** Returns all words that may come next. */
export function candidatesOf({ commands, options }: Words): string[] {
  return [...commands, ...options].map(({ word }) => word);
}

/** Returns every option with a value, once each: an option means the same in every command. */
export function optionsWithValues(words: readonly Words[]): OptionWord[] {
  const byName = new Map(words.flatMap(({ options }) => options.map((option) => [option.word, option])));
  return [...byName.values()].filter(({ value }) => value !== 'nothing');
}
