import { type Command, CommanderError } from 'commander';
import { programOf } from '../../packages/cli/src/cli/program.ts';

/** All commands, for a terminal that nobody looks at. */
export function newProgram(): Command {
  const ignored = { write: () => undefined };
  const surroundings = { stdout: ignored, stderr: ignored, env: {} };
  return programOf(surroundings as unknown as Parameters<typeof programOf>[0], () => undefined);
}

/** What a command line has that the program lacks: a command, an option, or a choice of one. */
export function wrongIn(program: Command, line: string): string[] {
  const words = wordsOf(line).slice(2);
  let command = program;
  for (let next = child(command, words[0]); next !== undefined; next = child(command, words[0])) {
    command = next;
    words.shift();
  }
  if (command.commands.length > 0 && !words[0]?.startsWith('-')) {
    return [`no command ${[...namesOf(command), words[0]].join(' ')}`];
  }
  try {
    const { unknown } = command.parseOptions(words);
    return unknown
      .filter((word) => /^--?\w/.test(word) && word !== '--help')
      .map((word) => `${namesOf(command).join(' ')} has no ${word}`);
  } catch (thrown) {
    if (thrown instanceof CommanderError) return [thrown.message];
    throw thrown;
  }
}

/** The commands below one, such as `claims list`. */
export function commandsUnder(name: string): string[] {
  return child(newProgram(), name)?.commands.map((command) => namesOf(command).join(' ')) ?? [];
}

function child(command: Command, name: string | undefined): Command | undefined {
  return command.commands.find((candidate) => candidate.name() === name);
}

/** Without that of the program. */
function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** As a shell splits a line: quotes, and a comment at the end. What stands for a URL of the reader's becomes one. */
function wordsOf(line: string): string[] {
  return [...line.replace(/\s#\s.*$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2').replace(/^[A-Z_]*URL$/, 'https://example.com'),
  );
}
