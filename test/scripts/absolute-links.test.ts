import { describe, expect, it } from '@jest/globals';
import { withAbsoluteLinks } from '../../scripts/release/absolute-links.ts';
import { repositoryPages } from '../../scripts/release/repository-pages.ts';

const PAGES = { page: 'https://pages', raw: 'https://raw' };

describe('The links of a packed README', () => {
  it.each([
    ['a page', '[a](docs/a.md)', '[a](https://pages/docs/a.md)'],
    ['a heading of a page', '[a](./docs/a.md#b)', '[a](https://pages/docs/a.md#b)'],
    ['an image', '![a](docs/a.png)', '![a](https://raw/docs/a.png)'],
    ['an image in HTML', '<img alt="a" src="a.svg">', '<img alt="a" src="https://raw/a.svg">'],
    ['a target of its own line', '[a]\n\n[a]: b.md', '[a]\n\n[a]: https://pages/b.md'],
    ['an address', '[a](https://example.com/a)', '[a](https://example.com/a)'],
    ['a heading of the page itself', '[a](#b)', '[a](#b)'],
  ])('lead to the repository, if they led to its files: %s', (_what, page, packed) => {
    expect(withAbsoluteLinks(page, PAGES)).toBe(packed);
  });
});

describe('The pages of a repository', () => {
  it.each([
    'git+https://github.com/example/name.git',
    'https://github.com/example/name',
    'git+ssh://git@github.com/example/name.git',
    'github:example/name',
    { type: 'git', url: 'git+https://github.com/example/name.git' },
  ])('are those of the version: %j', (repository) => {
    expect(repositoryPages(repository, '1.2.3')).toEqual({
      page: 'https://github.com/example/name/blob/v1.2.3',
      raw: 'https://raw.githubusercontent.com/example/name/v1.2.3',
    });
  });

  it.each([undefined, {}, 'git+https://example.com/name.git', 'https://github.com.example.com/a/b'])(
    'are not known: %j',
    (repository) => {
      expect(repositoryPages(repository, '1.2.3')).toBeUndefined();
    },
  );
});
