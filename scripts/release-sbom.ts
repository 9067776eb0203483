/**
 * Writes the SBOM of a tarball, in CycloneDX: the package, and what npm would install with it, version by version and with
 * digests. `node --import tsx scripts/release-sbom.ts TARBALL FILE`. Of the tarball, not of this folder: here npm takes packages that are
 * peers of development tools too for those.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const NOT_INSTALLED = new Set([
  'devDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'overrides',
  'workspaces',
  'scripts',
]);

const [, , tarball, file] = process.argv;
if (tarball === undefined || file === undefined) throw new Error('Expected a tarball and the file to write');

const run = promisify(execFile);
const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-sbom-'));
try {
  await run('tar', ['-xzf', path.resolve(tarball), '-C', folder, '--strip-components', '1']);
  const manifest = path.join(folder, 'package.json');
  const fields = Object.entries(JSON.parse(await readFile(manifest, 'utf8')) as object);
  await writeFile(
    manifest,
    JSON.stringify(Object.fromEntries(fields.filter(([name]) => !NOT_INSTALLED.has(name)))),
  );
  await run('npm', ['install', '--package-lock-only'], { cwd: folder });
  const list = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'];
  const { stdout } = await run('npm', list, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  await writeFile(file, stdout);
} finally {
  await rm(folder, { recursive: true, force: true });
}
