import { spawnSync } from 'node:child_process';
import { isNewest } from './pages/is-newest.ts';
import { ROOT } from './pages/root.ts';

/** What the reference is made from: the comments of `src`, and how TypeDoc is set up. */
const SOURCES = [
  'src',
  'packages/cdk/src',
  'site/typedoc/typedoc.config.js',
  'site/typedoc/package.json',
  'tsconfig.json',
  'package.json',
];

/** The site has the API reference in any case: it is made where it is missing, or older than what it is made from. */
if (!isNewest('site/reference/index.md', SOURCES, ROOT)) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build', '-w', 'site/typedoc'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
