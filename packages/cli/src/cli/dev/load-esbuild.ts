import type { Esbuild } from '../../dev/functions/function-build.ts';
import { loadPeer } from '../connect/load-peer.ts';

/** The project's own esbuild, or the one that this package brings. Throws a `CliError` that says how to install it. */
export function loadEsbuild(): Esbuild {
  return loadPeer(['esbuild'], { install: 'npm install --save-dev' }).module as Esbuild;
}
