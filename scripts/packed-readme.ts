/**
 * `absolute`, before the package is packed: gives the links of README.md the addresses of the repository's files, because the
 * package's page has no such files. `restore`, after it: puts README.md back. As long as `repository` of package.json is
 * missing, nothing is changed, and `node --import tsx scripts/release-check.ts` says so.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { relativeTargets, withAbsoluteLinks } from './release/absolute-links.ts';
import { repositoryPages } from './release/repository-pages.ts';

const root = new URL('../', import.meta.url);
const README = new URL('README.md', root);
/** In a folder that is neither packed nor committed. */
const KEPT = new URL('reports/README.md', root);

const [, , action] = process.argv;
if (action === 'absolute') await makeAbsolute();
else if (action === 'restore') await restore();
else throw new Error(`Expected \`absolute\` or \`restore\`, got \`${action}\``);

async function makeAbsolute(): Promise<void> {
  const { repository, version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as {
    repository?: unknown;
    version: string;
  };
  const pages = repositoryPages(repository, version);
  const readme = await readFile(README, 'utf8');
  // After a run that was stopped the links are absolute already, and what is kept is what has to come back.
  if (pages === undefined || relativeTargets(readme).length === 0) return;
  await mkdir(new URL('./', KEPT), { recursive: true });
  await writeFile(KEPT, readme);
  await writeFile(README, withAbsoluteLinks(readme, pages));
}

async function restore(): Promise<void> {
  const kept = await readFile(KEPT, 'utf8').catch(() => undefined);
  if (kept === undefined) return;
  await writeFile(README, kept);
  await rm(KEPT);
}
