/** A block of code between two fences. */
export interface CodeBlock {
  /** Of its first line in the page, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** What a reader calls the file that it is, where the line before it is only that: "`orders.ts`:". */
  readonly name: string | undefined;
  /** The file of this repository that it shows, where a comment before it says so: `<!-- file: path -->`. */
  readonly file: string | undefined;
  /** The file of which it shows some lines, where a comment says so: `<!-- part of: path -->`. */
  readonly part: string | undefined;
}

/** A link, or an image. */
export interface Link {
  readonly line: number;
  readonly target: string;
}

/** The fenced blocks of a page, in their order. */
export function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = page.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const [fence, indent = '', language = ''] = /^( *)```(\w*)\s*$/.exec(lines[index] as string) ?? [];
    if (fence === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, index + 1);
    if (end === -1) throw new Error(`The block in line ${index + 1} has no end`);
    const above = lines.slice(0, index).filter((line) => line.trim() !== '');
    const comment = above.at(-1) ?? '';
    const text = above.findLast((line) => !line.startsWith('<!--')) ?? '';
    blocks.push({
      line: index + 2,
      language,
      code: lines
        .slice(index + 1, end)
        .map((line) => line.slice(indent.length))
        .join('\n'),
      name: /^`([\w.-]+\.\w+)`:$/.exec(text)?.[1],
      file: /^<!-- file: (.+) -->$/.exec(comment)?.[1],
      part: /^<!-- part of: (.+) -->$/.exec(comment)?.[1],
    });
    index = end;
  }
  return blocks;
}

/** The links of a page outside of its code. */
export function links(page: string): Link[] {
  return withoutCode(page).flatMap((text, index) =>
    [...text.matchAll(/\]\(<?([^)\s>]+)/g)].map(([, target = '']) => ({ line: index + 1, target })),
  );
}

/** A heading, and where it can be linked to. */
interface Heading {
  /** 1 for the title of the page. */
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

/** The headings of a page, with their anchors as GitHub names them. */
function headings(page: string): Heading[] {
  const seen = new Map<string, number>();
  return withoutBlocks(page).flatMap((line) => {
    const [, marks, text] = /^(#{1,6}) (.+)$/.exec(line) ?? [];
    if (marks === undefined || text === undefined) return [];
    const slug = slugOf(text);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return [{ level: marks.length, text, anchor: count === 0 ? slug : `${slug}-${count}` }];
  });
}

export function anchors(page: string): string[] {
  return headings(page).map(({ anchor }) => anchor);
}

/** What GitHub makes of a heading's text. */
export function slugOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

function withoutBlocks(page: string): string[] {
  let isInBlock = false;
  return page.split('\n').map((line) => {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isInBlock = !isInBlock;
    return isFence || isInBlock ? '' : line;
  });
}

function withoutCode(page: string): string[] {
  return withoutBlocks(page).map((line) => line.replaceAll(/(`+).*?\1/g, ''));
}
