import { describe, expect, it } from '@jest/globals';
import { PAGES } from '../docs/pages.ts';
import { tabs } from '../../site/pages/tabs.ts';

interface Token {
  readonly type: string;
  content: string;
}

/** What the site shows for these blocks of a page. */
function shown(...contents: readonly string[]): string[] {
  const tokens: Token[] = contents.map((content) => ({
    type: content.startsWith('<') ? 'html_block' : 'inline',
    content,
  }));
  const push = (_name: string, rule: (state: { readonly tokens: Token[] }) => void): void => rule({ tokens });
  tabs({ core: { ruler: { push } } } as unknown as Parameters<typeof tabs>[0]);
  return tokens.map(({ content }) => content.trim());
}

const BEGIN = '<!-- tabs -->';
const END = '<!-- end of tabs -->';
const tab = (name: string): string => `<details>\n<summary>${name}</summary>\n`;

describe('Tabs of the site', () => {
  it('are radio buttons named by the summaries, the first of them checked', () => {
    expect(shown(BEGIN, tab('SAM'), 'text', '</details>', tab('CDK'), '</details>', END)).toEqual([
      '<div class="tabs">',
      '<input type="radio" name="tabs-1" id="tab-1-1" value="SAM" checked><label for="tab-1-1">SAM</label>\n<div class="tab">',
      'text',
      '</div>',
      '<input type="radio" name="tabs-1" id="tab-1-2" value="CDK"><label for="tab-1-2">CDK</label>\n<div class="tab">',
      '</div>',
      '</div>',
    ]);
  });

  it('leave other details alone, and have names of their own in each group', () => {
    expect(shown(tab('a'), '</details>')).toEqual([tab('a').trim(), '</details>']);
    expect(shown(BEGIN, END, BEGIN, tab('a'), '</details>', END)[3]).toContain('name="tabs-2" id="tab-2-1"');
  });

  it('refuse a group without an end, and a summary with tags', () => {
    expect(() => shown(BEGIN, tab('a'))).toThrow('without <!-- end of tabs -->');
    expect(() => shown(BEGIN, tab('<b>a</b>'), END)).toThrow('needs a summary');
  });

  it('are in pages whose parts are apart, as Markdown wants them', () => {
    const pages = [...PAGES].filter(([, text]) => text.includes(BEGIN));
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.flatMap(([page, text]) => gluedIn(text).map((line) => `${page}:${line}`))).toEqual([]);
    expect(gluedIn(`${tab('a')}text\n</details>\n${END}`)).toEqual([2, 4, 4]);
  });
});

/** The lines of tags that lack the blank line before or after them. */
function gluedIn(text: string): number[] {
  const lines = text.split('\n');
  const isApart = (line: string | undefined): boolean => line === undefined || line === '';
  return lines.flatMap((line, index) => [
    ...(/^<\/?details/.test(line) && !isApart(lines[index - 1]) ? [index + 1] : []),
    ...(/^(<summary>|<\/details>)/.test(line) && !isApart(lines[index + 1]) ? [index + 1] : []),
  ]);
}
