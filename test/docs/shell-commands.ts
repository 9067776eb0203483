import { codeBlocks } from './markdown.ts';

/** A command of a page. */
export interface ShellCommand {
  /** The page and the line of its block. */
  readonly at: string;
  /** Without variables of the environment, redirections and comments. */
  readonly command: string;
}

/** Languages of blocks that hold shell commands; `console` shows output too. */
const SHELL = new Set(['', 'bash', 'sh', 'console']);

/** The commands of the blocks of pages, continued lines joined. */
export function shellCommands(pages: ReadonlyMap<string, string>): ShellCommand[] {
  return [...pages].flatMap(([page, text]) =>
    codeBlocks(text)
      .filter(({ language }) => SHELL.has(language))
      .flatMap(({ line, code, language }) =>
        commandsIn(code, language === 'console').map((command) => ({ at: `${page}:${line}`, command })),
      ),
  );
}

/** The commands of a block. With `isDialogue`, lines without a prompt are output. */
function commandsIn(code: string, isDialogue: boolean): string[] {
  return code
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => !isDialogue || line.startsWith('$ '))
    .flatMap((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/(?:^|\s+)#.*$/, '')
        .split(/\s+(?:&&|\|)\s+/),
    )
    .map((command) =>
      command
        .replace(/\s+(?:<|>+)\s*\S+$/, '')
        .replace(/^\(/, '')
        .replace(/^(?:[A-Z_]+=\S+ )+/, '')
        .trim(),
    )
    .filter((command) => command !== '');
}

/** Splits a command as a shell does. What stands for a URL of the reader's becomes one. */
export function wordsOf(command: string): string[] {
  return [...command.replace(/\s#\s.*$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2').replace(/^[A-Z_]*URL$/, 'https://example.com'),
  );
}
