import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { linksOfSite } from '../../lab/real/support/site/links-of-site.ts';

describe('the links of a site', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'site-'));
    mkdirSync(path.join(folder, 'guide'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const write = (file: string, html: string): void => writeFileSync(path.join(folder, file), html);

  it('are followed from the first page, and lead to files and elements that are there', () => {
    write(
      'index.html',
      '<a href="guide/#start">1</a> <a href="https://example.com/x">2</a> <a href="#">3</a>',
    );
    write('guide/index.html', '<h2 id="start">S</h2> <a href="../a%20b.html#caf%C3%A9">1</a>');
    write(
      'a b.html',
      '<a name="café"></a> <img src="/p.svg#part" srcset="data:image/png;base64,AA 1x, /p.svg 2x">',
    );
    write('p.svg', '<svg/>');
    write('alone.html', '<a href="/no-such.html">nobody comes here</a>');
    const { reached, dead } = linksOfSite(folder);
    expect(dead).toEqual([]);
    expect([...reached]).toEqual(['/', '/guide/', '/a%20b.html', '/p.svg']);
  });

  it.each([
    ['<a href="/no-such.html">x</a>', '/no-such.html'],
    ['<a href="no-such">x</a>', 'no-such'],
    ['<a href="guide/#no-such">x</a>', 'guide/#no-such'],
    ['<a href="#no-such">x</a> <meta name="no-such">', '#no-such'],
    ['<a href="/empty/">x</a>', '/empty/'],
    ['<script src="/no-such.js"></script>', '/no-such.js'],
    ['<link rel="stylesheet" href="/no-such.css">', '/no-such.css'],
    ['<img srcset="/guide/index.html 1x, /no-such.png 2x">', '/no-such.png'],
  ])('are dead in %s', (html, target) => {
    mkdirSync(path.join(folder, 'empty'));
    write('guide/index.html', '');
    write('index.html', html);
    expect(linksOfSite(folder).dead).toEqual([`/: ${target}`]);
  });
});
