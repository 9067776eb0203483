import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const THEME_SCRIPT = 'src/theme.js';

/**
 * The script that sets the theme runs before the first paint, so it is no module; and it has a file of its own, because the
 * pages' content security policy allows no inline script. Vite leaves such scripts alone, so it is hashed and named here.
 */
function themeBeforePaint(root: string): Plugin {
  const source = readFileSync(path.join(root, THEME_SCRIPT), 'utf8');
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
  const fileName = `assets/theme-${hash}.js`;
  return {
    name: 'theme-before-paint',
    apply: 'build',
    buildStart(): void {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head-prepend' as const }],
    },
  };
}

/**
 * `CONSOLE_URL=http://127.0.0.1:PORT npx vite packages/cli/console-app` serves the pages as they are edited, and a console that runs answers
 * their requests. Open the `#token=…` of the address that it printed on vite's address.
 */
const target = process.env['CONSOLE_URL'] ?? 'http://127.0.0.1:8080';

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [themeBeforePaint(import.meta.dirname)],
  server: {
    host: '127.0.0.1',
    // It answers only to its own name, and to its own pages.
    proxy: { '/api': { target, changeOrigin: true, headers: { origin: target } } },
  },
  build: {
    outDir: '../dist/console-app',
    emptyOutDir: true,
    // The browsers that have `light-dark()`, `<dialog>` and `inert`.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});

export default config;
