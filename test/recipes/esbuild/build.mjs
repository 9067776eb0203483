import { build } from 'esbuild';

await build({
  entryPoints: ['orders.ts'],
  outfile: 'dist/orders.mjs',
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
});
