import type { MarkdownRenderer } from 'vitepress';
import { keyFiguresHtml } from './key-figures.ts';

/** What runs in the reader's browser, by the comment that stands for it in a page: `<!-- live: costs-calculator -->`. */
const LIVE_PARTS: Readonly<Record<string, string>> = {
  'costs-calculator': 'CostsCalculator',
  playground: 'CorePlayground',
  'settings-calculator': 'SettingsCalculator',
  simulation: 'LiveSimulation',
};

/** What the build makes, by its comment: `<!-- built: key-figures -->`. */
const BUILT_PARTS: Readonly<Record<string, (siteBase: string) => string>> = {
  'key-figures': (siteBase) => keyFiguresHtml(`${siteBase}costs.html`),
};

/** Puts a part where a page says that it belongs; other readers of the file see nothing of it. */
export function livePart(markdown: MarkdownRenderer, siteBase: string): void {
  markdown.core.ruler.push('live-parts', ({ tokens }) => {
    for (const token of tokens) {
      const [, kind, name] = /^<!-- (live|built): ([\w-]+) -->\s*$/.exec(token.content) ?? [];
      if (token.type !== 'html_block' || name === undefined) continue;
      token.content = kind === 'live' ? componentOf(name) : known(BUILT_PARTS, name)(siteBase);
    }
  });
}

function componentOf(name: string): string {
  return `<div class="live-part"><ClientOnly><${known(LIVE_PARTS, name)} /></ClientOnly></div>\n`;
}

function known<Part>(parts: Readonly<Record<string, Part>>, name: string): Part {
  const part = parts[name];
  if (part === undefined) throw new Error(`No part of a page is named ${name}`);
  return part;
}
