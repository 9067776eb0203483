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
    const { long, flags, description, argChoices, required, optional } = option;
    if (long === undefined || long === null) return [];
    const value =
      !required && !optional ? 'nothing' : (argChoices ?? (/[<[]file[>\]]/.test(flags) ? 'file' : 'text'));
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

/** Returns all words that may come next. */
export function candidatesOf({ commands, options }: Words): string[] {
  return [...commands, ...options].map(({ word }) => word);
}

/** A value to complete after a command and an option. */
export interface ValueCase {
  /** The shell's pattern for `PATH OPTION`; it names no path if all commands have the same values. */
  readonly pattern: string;
  readonly value: OptionWord['value'];
}

/** Returns the values of every option that has one, for `case "$path $option" in …`. */
export function valueCases(words: readonly Words[]): ValueCase[] {
  const uses = words.flatMap(({ path, options }) =>
    options.filter(({ value }) => value !== 'nothing').map((option) => ({ ...option, path })),
  );
  return [...new Set(uses.map(({ word }) => word))].flatMap((name) => {
    const same = uses.filter(({ word }) => word === name);
    const values = [...new Map(same.map(({ value }) => [String(value), value])).values()];
    return values.length === 1
      ? values.map((value) => ({ pattern: `*' ${name}'`, value }))
      : same.map(({ path, value }) => ({ pattern: `'${path} ${name}'`, value }));
  });
}
