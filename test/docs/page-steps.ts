import { codeBlocks } from './markdown.ts';

/** What a reader of a page does: writes a file, runs a command, or looks at what a command that still runs has printed. */
export type PageStep =
  | { readonly does: 'writes'; readonly file: string; readonly text: string }
  | { readonly does: 'runs'; readonly command: string; readonly printed: readonly string[] }
  | { readonly does: 'sees'; readonly printed: readonly string[] };

/**
 * The steps of a page, in their order. A block after a line such as "`orders.ts`:" is that file. A `console` block has commands
 * after `$ `, with what they print below; one without a command is what comes later from the command that did not end.
 */
export function pageSteps(page: string): PageStep[] {
  return codeBlocks(page).flatMap(({ language, code, name }): PageStep[] => {
    if (name !== undefined) return [{ does: 'writes', file: name, text: `${code}\n` }];
    return language === 'console' ? commandsIn(code) : [];
  });
}

function commandsIn(code: string): PageStep[] {
  const [printed = '', ...commands] = `\n${code}`.split('\n$ ');
  const seen = linesOf(printed);
  return [
    ...(seen.length > 0 ? [{ does: 'sees', printed: seen } as const] : []),
    ...commands.map((text): PageStep => {
      const [command = '', ...lines] = text.split('\n');
      return { does: 'runs', command, printed: linesOf(lines.join('\n')) };
    }),
  ];
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
