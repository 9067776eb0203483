import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import * as esbuild from 'esbuild';
import type { Esbuild } from '../../../src/dev/functions/function-build.ts';
import { runFunctions } from '../../../src/dev/functions/running-functions.ts';
import { devFunction, sources } from '../dev-function.ts';

it('ends the builds of other functions if one has no module', async () => {
  const code = await sources({ 'orders.ts': 'export const handler = async () => 1;\n' });
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'dev-')));
  let watching = 0;
  const counted: Esbuild = {
    build: esbuild.build,
    async context(options) {
      const context = await esbuild.context(options);
      watching += 1;
      return Object.assign(Object.create(context) as typeof context, {
        watch: () => context.watch(),
        async dispose() {
          await context.dispose();
          watching -= 1;
        },
      });
    },
  };
  const starting = runFunctions({
    functions: [
      devFunction({ folder: code.folder }),
      devFunction({ folder: code.folder, id: 'Other', entry: 'missing' }),
    ],
    esbuild: counted,
    folder,
    region: 'us-east-1',
    onEvent: () => undefined,
  });

  await expect(starting).rejects.toThrow('The function Other has no module');
  expect(watching).toBe(0);
  await rm(folder, { recursive: true });
  await code.remove();
});
