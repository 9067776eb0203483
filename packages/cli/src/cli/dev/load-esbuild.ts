import type { Esbuild } from '../../dev/functions/function-build.ts';
import { loadPeer } from '../connect/load-peer.ts';

/** Loads the project's esbuild, or the one of this package. Throws a `CliError` if there is none. */
export function loadEsbuild(): Esbuild {
  return loadPeer(['esbuild'], { install: 'npm install --save-dev' }).module as Esbuild;
}
