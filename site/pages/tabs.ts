import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

const BEGIN = '<!-- tabs -->';
const END = '<!-- end of tabs -->';

/**
 * Shows the `<details>` between `<!-- tabs -->` and `<!-- end of tabs -->` as tabs, named by their summaries. GitHub and
 * other readers of the file show sections to unfold. The tabs are radio buttons, which work without JavaScript.
 */
export function tabs(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('tabs', ({ tokens }) => {
    let group = 0;
    let tab: number | undefined;
    for (const token of tokens) {
      const html = token.type === 'html_block' ? token.content.trim() : '';
      if (html === BEGIN) {
        group += 1;
        tab = 0;
        replace(token, '<div class="tabs">');
      } else if (tab === undefined) {
        continue;
      } else if (html === END) {
        tab = undefined;
        replace(token, '</div>');
      } else if (html === '</details>') {
        replace(token, '</div>');
      } else if (html.startsWith('<details')) {
        tab += 1;
        replace(token, tabOf(html, group, tab));
      }
    }
    if (tab !== undefined) throw new Error(`${BEGIN} without ${END}`);
  });
}

function tabOf(html: string, group: number, tab: number): string {
  const [, name] = /^<details(?: open)?>\s*<summary>([^<]+)<\/summary>$/.exec(html) ?? [];
  if (name === undefined) throw new Error(`A tab begins with ${html}, and needs a summary without tags`);
  const id = `tab-${group}-${tab}`;
  const input = `<input type="radio" name="tabs-${group}" id="${id}" value="${name}"${tab === 1 ? ' checked' : ''}>`;
  return `${input}<label for="${id}">${name}</label>\n<div class="tab">`;
}

function replace(token: Token, html: string): void {
  token.content = `${html}\n`;
}
