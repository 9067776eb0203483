import path from 'node:path';
import type { Plugin } from 'esbuild';
import type { Change } from './mutant.ts';
import { mutatedFiles } from './mutated-files.ts';

/** A plugin of esbuild that bundles the source with changes. The bundle fails if it does not have a changed file. */
export function bundleMutant(root: string, changes: readonly Change[]): Plugin {
  const texts = mutatedFiles(root, changes);
  return {
    name: 'mutant',
    setup(bundle) {
      const unused = new Set(texts.keys());
      bundle.onLoad({ filter: /\.ts$/ }, ({ path: whole }) => {
        const file = path.relative(root, whole).split(path.sep).join('/');
        const contents = texts.get(file);
        unused.delete(file);
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
      bundle.onEnd(() =>
        unused.size === 0 ? undefined : { errors: [{ text: `Not bundled: ${[...unused].join(', ')}` }] },
      );
    },
  };
}
