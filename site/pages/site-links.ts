import path from 'node:path';
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress';
import { linkTarget } from './link-target.ts';
import { ROOT } from './root.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** Changes the links of a page, which are those of a file in a repository, into links of the site. */
export function siteLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const page = pageOf(env as Partial<MarkdownEnv>);
    // Of a title alone, it renders without saying whose it is.
    if (page === undefined) return;
    for (const token of tokens) {
      if (token.children !== null) changeLinks(token.children, page);
    }
  });
}

function pageOf({ path: file, realPath = file }: Partial<MarkdownEnv>): string | undefined {
  return realPath === undefined ? undefined : path.relative(ROOT, realPath);
}

function changeLinks(tokens: Token[], page: string): void {
  for (const [index, token] of tokens.entries()) {
    const href = token.type === 'link_open' ? token.attrGet('href') : null;
    // Those of a page to itself stay: the search takes the page's sections from the links of its headings.
    if (href === null || href.startsWith('#')) continue;
    const target = linkTarget(decodeURI(href), page);
    if (target.href !== undefined) token.attrSet('href', target.href);
    else asFileName(tokens, index, (target as { readonly file: string }).file);
  }
}

/** A link that leads nowhere on the site: its text stays, and the file's path comes as its title. */
function asFileName(tokens: Token[], index: number, file: string): void {
  const end = tokens.findIndex(({ type }, place) => place > index && type === 'link_close');
  const open = tokens[index] as Token;
  open.type = 'html_inline';
  open.content = `<span class="file-name" title="${file}">`;
  const close = tokens[end] as Token;
  close.type = 'html_inline';
  close.content = '</span>';
  for (const token of tokens.slice(index + 1, end)) if (token.content === file) token.type = 'code_inline';
}
