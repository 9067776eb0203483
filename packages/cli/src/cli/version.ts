import { readFileSync } from 'node:fs';

/** Returns the version of the package; the same relative path from `packages/cli/src/cli` and `dist/cli`. */
export function versionOfPackage(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
