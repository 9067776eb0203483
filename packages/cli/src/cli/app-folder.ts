import { fileURLToPath } from 'node:url';

/** Returns the folder of the console's pages, found from both `packages/cli/src/cli` and `dist/cli`. */
export function appFolder(): string {
  return fileURLToPath(new URL('../../dist/console-app', import.meta.url));
}
