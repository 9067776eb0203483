import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';

/** The folders of the packages, in the repository, that were put into a bundle. */
export function packagesOf({ inputs }: Pick<Metafile, 'inputs'>): readonly string[] {
  const folders = Object.keys(inputs).map(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0],
  );
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/** The licenses of these packages, to be published beside their code. Rejects for one that has none. */
export async function licensesOf(root: string, folders: readonly string[]): Promise<string> {
  const texts = folders.map(async (relative) => {
    const folder = path.resolve(root, relative);
    const { name, version, license } = JSON.parse(
      await readFile(path.join(folder, 'package.json'), 'utf8'),
    ) as { name: string; version: string; license: string };
    return `## ${name} ${version} (${license})\n\n${(await readLicense(folder)).trim()}\n`;
  });
  const intro = 'The files of this folder contain code of these packages.\n';
  return ['# Third-party licenses\n', intro, ...(await Promise.all(texts))].join('\n');
}

async function readLicense(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((file) => /^licen[sc]e([-.][\w.-]+)?$/i.test(file));
  if (name === undefined) throw new Error(`${folder} has no license to publish with its code`);
  return readFile(path.join(folder, name), 'utf8');
}
