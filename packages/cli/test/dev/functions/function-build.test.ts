import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as esbuild from 'esbuild';
import type { FunctionCode } from '../../../src/dev/functions/execution-environment.ts';
import {
  buildFunction,
  type BuildMessage,
  codeAsItLies,
  watchFunction,
} from '../../../src/dev/functions/function-build.ts';
import type { DevFunction } from '../../../src/dev/stack.ts';
import { until } from '../../../../../test/support/until.ts';
import { devFunction, sources } from '../dev-function.ts';

describe('the build of a function', () => {
  let folder: string;
  let code: { folder: string; remove(): Promise<void> };
  let count = 0;
  let watching: { stop(): Promise<void> } | undefined;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'dev-')));
  });
  beforeEach(async () => {
    code = await sources({
      'orders.ts':
        "import { word } from './word.ts';\nexport const handler = async (): Promise<string> => word;\n",
      'word.ts': "export const word: string = 'first';\n",
      'plain.js': "exports.handler = async () => 'plain';\n",
      'outside.ts': "import outside from 'outside';\nexport const handler = async () => outside;\n",
      'broken.ts': 'export const handler =\n  async () => {;\n',
    });
    const outside = path.join(code.folder, 'node_modules', 'outside');
    await mkdir(outside, { recursive: true });
    await writeFile(path.join(outside, 'index.js'), "module.exports = 'from node_modules';");
  });
  afterEach(async () => {
    await watching?.stop();
    watching = undefined;
    await code.remove();
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  const build = (given: Partial<DevFunction> = {}): Promise<FunctionCode> =>
    buildFunction({
      esbuild,
      fn: devFunction({ folder: code.folder, ...given }),
      folder: nextFolder(),
    });
  const nextFolder = (): string => path.join(folder, String((count += 1)));
  const run = async ({ module }: FunctionCode): Promise<unknown> =>
    ((await import(module)) as { handler(): Promise<unknown> }).handler();

  it('bundles TypeScript with what it imports', async () => {
    const built = await build();
    expect(built.module).toMatch(/orders\.mjs$/);
    expect(await run(built)).toBe('first');
  });

  it('follows the build properties of the template', async () => {
    const buildProperties = {
      Format: 'esm',
      External: ['outside'],
      Banner: ['js=// so it says'],
      MainFields: 'module,main',
      EntryPoints: ['outside.ts'],
    };
    const built = await build({ entry: 'outside.ts', buildProperties });
    expect(await run(built)).toBe('from node_modules');
    expect(await build({ buildProperties: { Format: 'cjs' } })).toMatchObject({
      module: expect.stringMatching(/orders\.cjs$/),
    });
  });

  it('runs JavaScript that no one says how to build as it lies', () => {
    const fn = devFunction({ folder: code.folder, entry: 'plain' });
    expect(codeAsItLies(fn)).toEqual({
      module: path.join(code.folder, 'plain.js'),
      exportName: 'handler',
      handler: 'plain.handler',
      taskRoot: code.folder,
    });
    expect(codeAsItLies(devFunction({ folder: code.folder }))).toBeUndefined();
  });

  it('names the file and the line of a mistake, and the module that is missing', async () => {
    await expect(build({ entry: 'broken' })).rejects.toThrow(
      /^The function OrdersFunction cannot be built: .+ \(broken\.ts:3:1\)$/,
    );
    expect(() => codeAsItLies(devFunction({ folder: code.folder, entry: 'nothing' }))).toThrow(
      'has no module',
    );
  });

  it('builds again when a source changes, and tells a mistake without giving up the code', async () => {
    const built: FunctionCode[] = [];
    const failed: (readonly BuildMessage[])[] = [];
    watching = await watchFunction({
      esbuild,
      fn: devFunction({ folder: code.folder }),
      folder: nextFolder(),
      onBuilt: (one) => built.push(one),
      onFailed: (messages) => failed.push(messages),
    });
    await until('it is built', () => built.length === 1);
    await writeFile(path.join(code.folder, 'word.ts'), 'export const word: string = ;\n');
    await until('it failed', () => failed.length === 1);
    expect(failed[0]).toEqual([
      { text: expect.any(String), place: 'word.ts:1:29', line: 'export const word: string = ;' },
    ]);
    await writeFile(path.join(code.folder, 'word.ts'), "export const word = 'second';\n");
    await until('it is built again', () => built.length === 2);
    expect(await run(built[1] as FunctionCode)).toBe('second');
    expect(await run(built[0] as FunctionCode)).toBe('first');
  });
});
