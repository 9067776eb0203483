import { type Command, CommanderError } from 'commander';
import { programOf } from '../../packages/cli/src/cli/program.ts';
import { wordsOf } from './shell-commands.ts';

/** All commands, for a terminal that nobody looks at. */
function newProgram(): Command {
  const ignored = { write: () => undefined };
  const surroundings = { stdout: ignored, stderr: ignored, env: {} };
  return programOf(surroundings as unknown as Parameters<typeof programOf>[0], () => undefined);
}

/**
 * Parses a whole command line as the command does, without running it. Returns what the parser refuses: an
 * unknown command, option or choice, a missing or superfluous argument.
 */
export function refusalOf(line: string): string | undefined {
  const program = newProgram();
  runNothing(program);
  try {
    program.parse(argumentsIn(line), { from: 'user' });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? undefined : thrown.message;
  }
}

/** What the beginning of a command line has that the program lacks: a command or an option. */
export function unknownIn(line: string): string[] {
  const words = argumentsIn(line);
  let command = newProgram();
  for (let next = child(command, words[0]); next !== undefined; next = child(command, words[0])) {
    command = next;
    words.shift();
  }
  const [word] = words;
  if (command.commands.length > 0 && word !== undefined && /^\w/.test(word)) {
    return [`no command ${[...namesOf(command), word].join(' ')}`];
  }
  return words
    .filter((given) => /^--?[a-z]/.test(given) && given !== '--help')
    .map((given) => given.replace(/[=.,:;].*$/, ''))
    .filter((given) => !knows(command, given))
    .map((given) => `${namesOf(command).join(' ')} has no ${given}`);
}

/** The commands below one, such as `claims list`. */
export function commandsUnder(name: string): string[] {
  return child(newProgram(), name)?.commands.map((command) => namesOf(command).join(' ')) ?? [];
}

/** Without `npx` and the name of the program or its package. */
function argumentsIn(line: string): string[] {
  return wordsOf(line.replace(/^(?:npx )?batchlatch(?:-cli)?\s*/, ''));
}

/** Replaces what the commands do. */
function runNothing(command: Command): void {
  if (command.commands.length === 0) command.action(() => undefined);
  for (const below of command.commands) runNothing(below);
}

function knows(command: Command, option: string): boolean {
  const isThere = command.options.some(({ short, long }) => option === short || option === long);
  return isThere || (command.parent !== null && knows(command.parent, option));
}

function child(command: Command, name: string | undefined): Command | undefined {
  return command.commands.find((candidate) => candidate.name() === name);
}

/** Without that of the program. */
function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}
