import type { OptionWord, Words } from './words.ts';

/** Returns the script for fish. */
export function fishScript(program: string, words: readonly Words[]): string {
  const lines = words.flatMap(({ path, commands, options }) => {
    const when = conditionOf(
      path,
      commands.map(({ word }) => word),
    );
    return [
      ...commands.map(
        ({ word, meaning }) => `complete -c ${program} ${when} -a ${word} -d ${quoted(meaning)}`,
      ),
      ...options.map(
        (option) =>
          `complete -c ${program} ${when} -l ${option.word.slice(2)}` +
          `${valueOf(option)} -d ${quoted(option.meaning)}`,
      ),
    ];
  });
  return [`# fish completion for ${program}`, `complete -c ${program} -f`, ...lines, ''].join('\n');
}

/** Matches when all words of the path have been typed, and none of its subcommands. */
function conditionOf(path: string, commands: readonly string[]): string {
  const seen = path.split(' ').filter((word) => word !== '');
  const parts = [
    ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(commands.length > 0 ? [`not __fish_seen_subcommand_from ${commands.join(' ')}`] : []),
  ];
  return parts.length === 0 ? '' : `-n '${parts.join('; and ')}'`;
}

function valueOf({ value }: OptionWord): string {
  if (value === 'nothing') return '';
  if (value === 'file') return ' -r -F';
  return value === 'text' ? ' -x' : ` -x -a '${value.join(' ')}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
