import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import {
  importInstalled,
  installedFolder,
  notInstalled,
} from '../../../src/dev/emulators/installed-package.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-packages-'));
afterAll(() => rmSync(folder, { recursive: true }));

function install(name: string, manifest: object): void {
  const at = path.join(folder, 'node_modules', name);
  mkdirSync(path.join(at, 'lib'), { recursive: true });
  writeFileSync(path.join(at, 'package.json'), JSON.stringify({ type: 'module', ...manifest }));
  writeFileSync(path.join(at, 'lib/a.js'), `export const name = '${name}';`);
}

it.each<[string, object]>([
  ['exports of an import', { exports: { '.': { import: { types: './a.d.ts', default: './lib/a.js' } } } }],
  ['exports of a default', { exports: { default: './lib/a.js' } }],
  ['exports as a text', { exports: './lib/a.js' }],
  ['a main file', { main: 'lib/a.js' }],
])('A package of the project that the command runs in is found by its %s', async (name, manifest) => {
  const id = name.replaceAll(' ', '-');
  install(id, manifest);
  const deeper = path.join(folder, 'packages', 'orders');
  expect(await importInstalled(id, ['/nowhere', deeper])).toMatchObject({ name: id });
  expect(installedFolder(id, [deeper])).toBe(path.join(folder, 'node_modules', id));
});

it('A package that is missing is an error that says what to install', async () => {
  await expect(importInstalled('no-such-emulator', [folder])).rejects.toThrow(
    'This needs a package that is not installed here: run `npm install --save-dev no-such-emulator` in your project.',
  );
  expect(notInstalled(['fauxqs', 'dynalite']).message).toContain('npm install --save-dev fauxqs dynalite');
});
