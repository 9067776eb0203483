import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { keyFiguresMarkdown } from './key-figures.ts';
import { linkTarget } from './link-target.ts';
import { linksIn, menu } from './menu.ts';
import { addressOf, routeOf, SITE_PAGES, textOf, titleOf } from './site-pages.ts';

const SUMMARY = `# batchlatch

> Processes batches of SQS, Kafka, Kinesis, DynamoDB Streams and EventBridge records on AWS Lambda through per-record idempotency claims, and
> reports only the records that must be delivered again.
`;

/**
 * Writes every page as Markdown beside its HTML, `llms.txt` (https://llmstxt.org), which lists them, and `llms-full.txt`,
 * which holds them all but the reference.
 */
export async function writeMarkdown(outDir: string, siteBase: string): Promise<void> {
  const base = siteBase.replace(/\/$/, '');
  const copies = new Map(SITE_PAGES.map((page) => [page, markdownOf(page, base)]));
  for (const [page, text] of copies) {
    const file = path.join(outDir, `${routeOf(page)}.md`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await writeFile(path.join(outDir, 'llms.txt'), contents(base));
  const inOrder = pagesIn(menu()).filter((page) => !page.startsWith('site/reference/'));
  await writeFile(
    path.join(outDir, 'llms-full.txt'),
    [SUMMARY, ...inOrder.map((page) => copies.get(page) as string)].join('\n\n---\n\n'),
  );
}

function contents(base: string): string {
  const groups = menu().map((group) => {
    const pages = pagesIn([group]).map((page) => `- [${titleOf(page)}](${base}/${routeOf(page)}.md)`);
    return `## ${group.text}\n\n${pages.join('\n')}\n`;
  });
  return [SUMMARY, ...groups].join('\n');
}

const BY_ADDRESS = new Map(SITE_PAGES.map((page) => [addressOf(page), page]));

/** A reference that is HTML has no page of its own. */
function pagesIn(items: Parameters<typeof linksIn>[0]): string[] {
  return linksIn(items).flatMap((address) => BY_ADDRESS.get(address) ?? []);
}

/** The page with links to the Markdown of other pages, and without what only the site reads. */
function markdownOf(page: string, base: string): string {
  // What is between the dashes at the top only the site reads; of the home page that is its beginning.
  const text = textOf(page).replace(/^---\n[^]*?\n---\n/, SUMMARY);
  const complete = text.replace('<!-- built: key-figures -->', () => keyFiguresMarkdown());
  return outsideOfCode(complete, (text) =>
    text.replaceAll(/\]\(<?([^)\s>]+)>?/g, (whole, target: string) => {
      const link = linkTarget(target, page);
      if (link.kind === 'page') return `](${base}/${routeOf(link.page)}.md${link.hash}`;
      return link.href === undefined || link.kind === 'elsewhere' ? whole : `](${link.href}`;
    }),
  );
}

function outsideOfCode(page: string, change: (text: string) => string): string {
  return page
    .split(/(^```[^]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
}
