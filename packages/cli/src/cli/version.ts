import { readFileSync } from 'node:fs';

/** The version of the package: its manifest is as far from `packages/cli/src/cli` as from `dist/cli`. */
export function versionOfPackage(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
