import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/cli.md';
const BLOCK = /```console\n\$ npx batchlatch (.*)\n([^]*?)```/g;

/** A command that the page shows, and what it prints there. */
export interface Documented {
  readonly args: readonly string[];
  readonly printed: string;
}

/** The commands that docs/cli.md shows, in their order. */
export function documentedCommands(): Documented[] {
  return [...readFileSync(PAGE, 'utf8').matchAll(BLOCK)].map(([, line = '', printed = '']) => ({
    args: wordsOf(line),
    printed,
  }));
}

/** Writes into the page what the commands print. */
export function writeDocumented(printed: readonly string[]): void {
  let index = 0;
  const text = readFileSync(PAGE, 'utf8').replace(BLOCK, (_block, line: string) => {
    const block = `\`\`\`console\n$ npx batchlatch ${line}\n${printed[index] ?? ''}\`\`\``;
    index += 1;
    return block;
  });
  writeFileSync(PAGE, text);
}

/** As a shell splits a line; of its quotes only these are used. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}
