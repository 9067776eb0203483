import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { isNewest } from '../../site/pages/is-newest.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'newest-'));
  mkdirSync(path.join(root, 'src/keys'), { recursive: true });
  write('src/index.ts', 10);
  write('src/keys/errors.ts', 20);
  write('package.json', 20);
});
afterEach(() => rmSync(root, { recursive: true }));

const isMade = (): boolean => isNewest('made.md', ['src', 'package.json'], root);

it('what is not there is not the newest', () => {
  expect(isMade()).toBe(false);
});

it('what was made last is, also at the same time', () => {
  write('made.md', 20);
  expect(isMade()).toBe(true);
});

it.each(['src/keys/errors.ts', 'package.json'])('what is older than %s is not', (file) => {
  write('made.md', 30);
  write(file, 40);
  expect(isMade()).toBe(false);
});

function write(file: string, seconds: number): void {
  writeFileSync(path.join(root, file), '');
  utimesSync(path.join(root, file), seconds, seconds);
}
