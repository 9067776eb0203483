import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The folders of the packages, in the repository, that were put into a bundle. */
export function packagesOf({ inputs }: { readonly inputs: object }): readonly string[] {
  const folders = Object.keys(inputs).map(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0],
  );
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/** The licenses of these packages, each text once, to be published beside their code. Rejects for a package that has none. */
export async function licensesOf(root: string, folders: readonly string[]): Promise<string> {
  const headingsOf = new Map<string, string[]>();
  for (const relative of folders) {
    const folder = path.resolve(root, relative);
    const { name, version, license } = JSON.parse(
      await readFile(path.join(folder, 'package.json'), 'utf8'),
    ) as { name: string; version: string; license: string };
    const text = (await licenseOf(folder, name, license)).trim();
    headingsOf.set(text, [...(headingsOf.get(text) ?? []), `## ${name} ${version} (${license})\n`]);
  }
  const intro = 'The files of this folder contain code of these packages.\n';
  const parts = [...headingsOf].map(([text, headings]) => `${headings.join('\n')}\n${text}\n`);
  return ['# Third-party licenses\n', intro, ...parts].join('\n');
}

async function licenseOf(folder: string, name: string, license: string): Promise<string> {
  const own = await readLicense(folder);
  if (own !== undefined) return own;
  // Some packages of AWS's SDK come without the text; it is that of the package that all of them are made from.
  const shared = name.startsWith('@aws-sdk/') && license === 'Apache-2.0';
  const text = shared ? await readLicense(path.join(folder, '../core')) : undefined;
  if (text === undefined) throw new Error(`${folder} has no license to publish with its code`);
  return text;
}

async function readLicense(folder: string): Promise<string | undefined> {
  const name = (await readdir(folder)).find((file) => /^licen[sc]e([-.][\w.-]+)?$/i.test(file));
  return name === undefined ? undefined : readFile(path.join(folder, name), 'utf8');
}
