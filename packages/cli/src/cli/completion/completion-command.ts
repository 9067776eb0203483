import { Argument, type Command } from 'commander';
import { withExamples } from '../subcommand.ts';
import type { ProcessIo } from '../process-io.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { wordsOf } from './words.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Adds `batchlatch completion`, which prints a script for a shell. */
export function addCompletionCommand(program: Command, { stdout }: ProcessIo): void {
  const command = program
    .command('completion')
    .addArgument(new Argument('<shell>', 'whose script').choices(Object.keys(SCRIPTS)))
    .summary('print a script that completes commands and options in a shell')
    .description(
      'Print a script that completes commands and options in a shell.\n\nIt is for the command ' +
        '`batchlatch` on the PATH, as after `npm install --global batchlatch-cli`.',
    )
    .action((shell: keyof typeof SCRIPTS) => {
      stdout.write(SCRIPTS[shell](program.name(), wordsOf(program)));
    });
  withExamples(command, [
    'completion bash > ~/.local/share/bash-completion/completions/batchlatch',
    'completion zsh > ~/.zfunc/_batchlatch',
    'completion fish > ~/.config/fish/completions/batchlatch.fish',
  ]);
}
