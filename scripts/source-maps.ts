import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A source map, as far as it is read here. */
interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
  readonly sourceRoot?: string;
}

/**
 * Copies the sources that the maps of `dist` name into `dist/src`, once for both builds and their declarations, and lets the maps lead
 * there. Code of packages that was put into a file comes with its map. Rejects for a source that is neither.
 */
export async function bringSources(root: string, dist: string): Promise<void> {
  const src = path.join(root, 'src');
  const needed = new Set<string>();
  for (const file of await mapsOf(dist)) {
    const folder = path.dirname(file);
    const {
      sourcesContent = [],
      sourceRoot: _empty,
      ...map
    } = JSON.parse(await readFile(file, 'utf8')) as SourceMap;
    const published = map.sources.map((source, index) => {
      const place = path.resolve(folder, source);
      const content = place.startsWith(src + path.sep) ? null : (sourcesContent[index] ?? undefined);
      if (content === undefined) throw new Error(`${file} leads to ${source}, which is not published`);
      if (content === null) needed.add(path.relative(src, place));
      return { name: path.relative(folder, path.join(dist, path.relative(root, place))), content };
    });
    const contents = published.map(({ content }) => content);
    const led: SourceMap = {
      ...map,
      sources: published.map(({ name }) => name),
      ...(contents.some((content) => content !== null) && { sourcesContent: contents }),
    };
    await writeFile(file, JSON.stringify(led));
  }
  for (const name of needed) await cp(path.join(src, name), path.join(dist, 'src', name));
}

async function mapsOf(dist: string): Promise<string[]> {
  const files = await readdir(dist, { recursive: true });
  return files.filter((file) => file.endsWith('.map')).map((file) => path.join(dist, file));
}
