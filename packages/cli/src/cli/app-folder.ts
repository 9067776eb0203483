import { fileURLToPath } from 'node:url';

/** The folder of the console's pages: it is as far from `packages/cli/src/cli` as from `dist/cli`. */
export function appFolder(): string {
  return fileURLToPath(new URL('../../dist/console-app', import.meta.url));
}
