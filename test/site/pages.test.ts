import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { keyFigures, keyFiguresHtml, measuredAt } from '../../site/pages/key-figures.ts';
import { menuAddress, menuHtml } from '../../site/pages/menu-html.ts';
import { lastChanges, pageFacts } from '../../site/pages/page-facts.ts';
import { addressIn, inRepository } from '../../site/pages/repository.ts';

describe('The figures of the home page', () => {
  const results = readFileSync('lab/bench/RESULTS.md', 'utf8');

  it('are three, each as a row of the benchmark has it, with the day and the commit', () => {
    const figures = keyFigures(results);
    expect(figures).toHaveLength(3);
    const html = keyFiguresHtml('/costs.html');
    for (const { value } of figures) {
      expect(results).toMatch(new RegExp(`\\| ${value} \\| (reached|\\*\\*missed\\*\\*) \\|`));
      expect(html).toContain(`<dd>${value}</dd>`);
    }
    expect(html).toContain(measuredAt(results));
  });

  it('are refused if the benchmark does not have their row any more', () => {
    const without = results.replace('| wall time of a batch of 10 |', '| another |');
    expect(() => keyFigures(without)).toThrow('no row "wall time of a batch of 10"');
  });
});

describe('The foot of a page', () => {
  it('has the newest change of a file, and of a folder the newest of all its files', () => {
    const log =
      'date:2026-11-03\n\nsrc/b.ts\n\ndate:2026-11-02\n\ndocs/a.md\nsrc/a.ts\n\ndate:2026-11-01\n\ndocs/a.md\n';
    expect(Object.fromEntries(lastChanges(log))).toMatchObject({
      'docs/a.md': '2026-11-02',
      src: '2026-11-03',
    });
  });

  it('says where the page and where a page of the reference is edited, and the version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect(pageFacts('docs/costs.md')).toMatchObject({ file: 'docs/costs.md', version });
    expect(pageFacts('site/reference/batchlatch/core/index.md').file).toBe('src');
  });

  it.each([
    ['git+https://example.com/a/b.git', 'https://example.com/a/b'],
    [{ url: 'github:a/b' }, 'https://github.com/a/b'],
    [undefined, undefined],
  ])('takes the repository from package.json: %j', (repository, address) => {
    expect(addressIn(repository === undefined ? {} : { repository })).toBe(address);
  });

  it('links to the editor of a file, and to a folder', () => {
    expect(inRepository('docs/costs.md', 'edit', 'https://example.com/r')).toBe(
      'https://example.com/r/edit/main/docs/costs.md',
    );
    expect(inRepository('src', 'edit', 'https://example.com/r')).toBe('https://example.com/r/tree/main/src');
  });
});

describe('The menu', () => {
  const items = [
    { text: 'Start', items: [{ text: 'Quick start', link: '/quick-start' }] },
    { text: 'Sources', link: '/sources', collapsed: true, items: [{ text: 'SQS', link: '/sources/sqs' }] },
    { text: 'Stores', link: '/stores', collapsed: true, items: [{ text: 'Redis', link: '/stores/redis' }] },
  ];

  it('marks the page that is shown, and opens only the group that it is in', () => {
    const html = menuHtml(items, { base: '/docs/', at: menuAddress('sources/sqs.md') });
    expect(html).toContain('<a href="/docs/sources/sqs.html" aria-current="page">SQS</a>');
    expect(html.match(/<details class="group"( open)?><summary>\w+/g)).toEqual([
      '<details class="group" open><summary>Sources',
      '<details class="group"><summary>Stores',
    ]);
  });

  it('has folders with the slash at their end', () => {
    expect(menuAddress('decisions/index.md')).toBe('/decisions/');
    expect(menuAddress('index.md')).toBe('/');
  });
});
