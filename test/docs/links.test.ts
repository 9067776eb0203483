import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchors, links } from './markdown.ts';
import { PAGES } from './pages.ts';

describe('README', () => {
  it('has at most 140 lines', () => {
    expect(PAGES.get('README.md')?.trimEnd().split('\n').length).toBeLessThanOrEqual(140);
  });

  it('leads to every page of docs, or to an overview that does', () => {
    const overviews = linkedFrom('README.md');
    const reached = new Set([...overviews, ...overviews.flatMap(linkedFrom)]);
    const pages = [...PAGES.keys()].filter((page) => page.startsWith('docs/'));
    expect(pages.length).toBeGreaterThan(60);
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe('Tables of README, docs and examples', () => {
  it('are not cut in two by an empty line, after which rows are shown as text', () => {
    const rows = [...PAGES].flatMap(([page, text]) =>
      [...text.matchAll(/^\|.*\n\n(\|.*)\n(?!\|[-:| ]+\|$)/gm)].map(([, row]) => `${page}: ${row}`),
    );
    expect(rows).toEqual([]);
  });
});

describe('Links of README, docs and examples', () => {
  it('lead to files and headings that are there', () => {
    expect([...PAGES].flatMap(([page, text]) => deadLinks(page, text))).toEqual([]);
  });

  it.each([
    ['a file that is not there', 'See [a](docs/a.md).', ['docs/a.md']],
    ['a heading that another page lacks', 'See [a](docs/errors.md#nothing).', ['docs/errors.md#nothing']],
    ['a heading that the page lacks', '## One\n[a](#one) [b](#two)', ['#two']],
  ])('are seen to be dead: %s', (_what, page, targets) => {
    expect(deadLinks('README.md', page)).toEqual(
      targets.map((target) => `README.md:${page.split('\n').length}: ${target}`),
    );
  });

  it('may lead elsewhere, and are no links in code', () => {
    expect(deadLinks('README.md', '[a](https://example.com)\n`[b](c.md)`\n```\n[d](e.md)\n```')).toEqual([]);
  });
});

describe('The anchor of a heading', () => {
  it('is the one that GitHub makes', () => {
    const page = '# What `a()` is: b, c & d\n## [Link](x.md) é_1\n```\n# no heading\n```\n## Twice\n## Twice';
    expect(anchors(page)).toEqual(['what-a-is-b-c--d', 'link-é_1', 'twice', 'twice-1']);
  });
});

/** The pages that a page has links to. */
function linkedFrom(page: string): string[] {
  return links(PAGES.get(page) ?? '').map(({ target }) =>
    path.normalize(path.join(path.dirname(page), target.replace(/#.*/, ''))),
  );
}

/** The links of a page that lead nowhere, as `page:line: target`. */
function deadLinks(page: string, text: string): string[] {
  return links(text)
    .filter(({ target }) => !/^[a-z]+:/.test(target))
    .filter(({ target }) => {
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? page : path.normalize(path.join(path.dirname(page), file));
      if (!existsSync(found)) return true;
      const there = found === page ? text : undefined;
      return anchor !== undefined && !anchors(there ?? readFileSync(found, 'utf8')).includes(anchor);
    })
    .map(({ line, target }) => `${page}:${line}: ${target}`);
}
