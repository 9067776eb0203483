import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packagesOf } from './third-party-licenses.ts';

/** The compiled files that packages are put into, so that a program which installs the library need not install these. */
const FILES = ['aws/signed-headers.js'];

/**
 * Puts `aws4` into the compiled files that use it. Returns the folders of the packages, in the repository, whose code is
 * in the build then.
 */
export async function vendorInto(root: string, folder: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: FILES.map((file) => path.join(folder, file)),
    outdir: folder,
    outbase: folder,
    allowOverwrite: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    bundle: true,
    sourcemap: 'linked',
    nodePaths: [path.join(root, 'node_modules')],
    plugins: [builtinsWithoutRequire],
    metafile: true,
    logLevel: 'error',
  });
  return packagesOf(metafile);
}

/**
 * A package in CommonJS asks for Node's modules with `require`, which ES modules do not have. Given by
 * `process.getBuiltinModule` (Node 20.16), they need nothing of the program that bundles the library.
 */
export const builtinsWithoutRequire: Plugin = {
  name: 'builtins-without-require',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(crypto|querystring|url)$/ }, ({ path: name, kind }) =>
      kind === 'require-call' ? { path: name, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
    }));
  },
};
