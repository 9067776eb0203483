import { type Command, Option } from 'commander';
import { integerBetween, textUpTo } from './values.ts';

/** Adds the options of a command that changes something: who does it, why, and whether to ask first. */
export function changeOptions(command: Command, keptOn: string): void {
  for (const option of [
    new Option('--reason <text>', `why; kept on the ${keptOn} (required)`).argParser(textUpTo(256)),
    new Option('--operator <name>', 'who does it; kept likewise (default: user@host)').argParser(
      textUpTo(128),
    ),
    ...consentOptions(),
  ]) {
    command.addOption(option.helpGroup('Change:'));
  }
}

/** Returns the options `--dry-run` and `--yes`. */
export function consentOptions(): Option[] {
  return [
    new Option('--dry-run', 'show what would be done, and do nothing').helpGroup('Change:'),
    new Option('--yes', 'do not ask').helpGroup('Change:'),
  ];
}

export function watchOption(): Option {
  return new Option('--watch [seconds]', 'read and show again at this interval (default: 5), until Ctrl-C')
    .argParser(integerBetween(1, 86_400))
    .preset('5')
    .helpGroup('Output:');
}
