import type { MarkdownRenderer } from 'vitepress';

/** What runs in the reader's browser, by the comment that stands for it in a page: `<!-- live: costs-calculator -->`. */
const LIVE_PARTS: Readonly<Record<string, string>> = {
  'costs-calculator': 'CostsCalculator',
  simulation: 'LiveSimulation',
};

/** Puts a component where a page says that something live belongs; other readers of the file see nothing of it. */
export function livePart(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('live-parts', ({ tokens }) => {
    for (const token of tokens) {
      const [, name] = /^<!-- live: ([\w-]+) -->\s*$/.exec(token.content) ?? [];
      if (token.type !== 'html_block' || name === undefined) continue;
      const component = LIVE_PARTS[name];
      if (component === undefined) throw new Error(`No live part is named ${name}`);
      token.content = `<ClientOnly><${component} /></ClientOnly>\n`;
    }
  });
}
