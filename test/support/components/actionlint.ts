import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installedAt, installOnce } from './cache.ts';
import type { Component } from './component.ts';
import { isOnPath, runCommand } from './run-command.ts';

const VERSION = '1.7.12';
const FOLDER = `actionlint-${VERSION}`;

export const actionlint: Component = {
  name: 'actionlint',
  version: VERSION,
  purpose: 'mistakes in the workflows of GitHub',
  whyMissing,
  install: async () => void (await actionlintBinary()),
};

/** The path of the program, which is built by Go unless it is there. */
export async function actionlintBinary(): Promise<string> {
  const missing = whyMissing();
  if (missing !== undefined) throw new Error(`actionlint: ${missing}`);
  const folder = await installOnce(FOLDER, async (folder) => {
    await runCommand('go', ['install', `github.com/rhysd/actionlint/cmd/actionlint@v${VERSION}`], {
      env: { GOBIN: folder, GOFLAGS: '-buildvcs=false' },
    });
  });
  return join(folder, 'actionlint');
}

function whyMissing(): string | undefined {
  if (existsSync(installedAt(FOLDER)) || isOnPath('go')) return undefined;
  return 'go is not on PATH, and it is needed once, to build; see https://go.dev/dl';
}
