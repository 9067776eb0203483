import type { MarkdownRenderer } from 'vitepress';

/** The head of a column that has none, as Markdown wants it, becomes an empty cell: a screen reader would announce a header. */
export function emptyHeaders(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('empty-headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const close = tokens[index + 2];
      if (token.type !== 'th_open' || close === undefined || tokens[index + 1]?.content !== '') continue;
      token.tag = 'td';
      close.tag = 'td';
    }
  });
}
