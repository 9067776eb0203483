import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { definitionOf, type Place } from './language-server.ts';
import { type Consumer, installPacked, packPackage } from './packed-library.ts';

let folder: string;
let consumer: Consumer;
let library: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-maps-'));
  consumer = await installPacked([await packPackage('batchlatch', folder)], []);
  library = path.join(consumer.folder, 'node_modules/batchlatch');
}, 300_000); // a machine that is busy packs slowly

afterAll(() => rm(folder, { recursive: true }));

describe('The maps of the package', () => {
  it.each(['esm', 'cjs'])('lead from each `throw` of dist/%s to one of the sources', async (build) => {
    const misled: string[] = [];
    let count = 0;
    for (const file of filesOf(build, '.js')) {
      const mapped = await mappedFile(file);
      for (const place of placesOf(THROWN, mapped.text)) {
        count += 1;
        if (!(await mapped.sourceAt(place)).startsWith('throw ')) misled.push(`${file}:${place.line}`);
      }
    }
    expect(misled).toEqual([]);
    expect(count).toBeGreaterThan(150);
  });

  it.each(['esm', 'cjs'])(
    'lead from each declaration of dist/%s to its name in the sources',
    async (build) => {
      const misled: string[] = [];
      let count = 0;
      for (const file of filesOf(build, '.d.ts')) {
        const mapped = await mappedFile(file);
        for (const place of placesOf(DECLARED, mapped.text)) {
          count += 1;
          const name = /^\w+/.exec(textAt(mapped.text, place))?.[0] ?? 'none';
          if (!(await mapped.sourceAt(place)).startsWith(name)) misled.push(`${file}:${place.line}: ${name}`);
        }
      }
      expect(misled).toEqual([]);
      expect(count).toBeGreaterThan(1_000);
    },
  );

  it('lead to the sources as they are in the repository, and to no other file', async () => {
    const sources = consumer.files.filter((file) => file.startsWith('dist/src/') && file.endsWith('.ts'));
    const named = new Set<string>();
    for (const file of consumer.files.filter((name) => name.endsWith('.map'))) {
      const { sources: ofMap } = await payloadOf(file);
      for (const source of ofMap) named.add(path.posix.join(path.posix.dirname(file), source));
    }
    expect(sources.filter((file) => !named.has(file))).toEqual([]);
    for (const file of sources) {
      expect(await text(file)).toBe(await readFile(file.replace(/^dist\//, ''), 'utf8'));
    }
  });
});

describe('With --enable-source-maps, a stack', () => {
  it.each(['stack.mjs', 'stack.cjs'])('names the sources and their lines: %s', async (program) => {
    const stack = (await consumer.run(program, [], ['--enable-source-maps'])) as string;
    const frames = framesOf(stack).filter(({ file }) => file.startsWith(`${library}/`));
    expect(frames.length).toBeGreaterThan(3);
    const places = frames.map(({ file }) => path.relative(library, file));
    expect(places.filter((file) => !/^dist\/src\/.*\.ts$/.test(file))).toEqual([]);
    const at = await Promise.all(
      frames.map(async (frame) => textAt(await readFile(frame.file, 'utf8'), frame)),
    );
    // Where it was thrown, and each call of the function above.
    expect(at[0]).toMatch(/^(new|throw new) ConfigurationError\(/);
    const calls = at.slice(1).map((call, index) => call.startsWith(`${frames[index]?.name ?? 'none'}(`));
    expect(calls).toEqual(calls.map(() => true));
  });

  it('names compiled files without the flag', async () => {
    const stack = (await consumer.run('stack.mjs', [])) as string;
    expect(stack).toMatch(/batchlatch\/dist\/esm\/options\/[\w-]+\.js:/);
    expect(stack).not.toContain('dist/src');
  });
});

describe('An editor', () => {
  it.each(['types.ts', 'types.cts'])('goes from a name that is imported to its source: %s', async (name) => {
    const file = path.join(consumer.folder, name);
    await copyFile('test/package/consumers/types.ts', file);
    const [place] = (await definitionOf('createBatchProcessor', file)) as [Place];
    expect(path.relative(library, place.file)).toBe('dist/src/presets/batch-processor.ts');
    expect(textAt(await readFile(place.file, 'utf8'), place)).toMatch(/^createBatchProcessor\b/);
  });
});

describe('A bundle', () => {
  const bundle = async (
    format: 'esm' | 'cjs',
    sourcemap: boolean,
  ): Promise<Readonly<Record<string, string>>> => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from 'batchlatch'`, resolveDir: consumer.folder },
      outfile: path.join(folder, 'bundle.js'),
      bundle: true,
      platform: 'node',
      format,
      sourcemap: sourcemap && 'external',
      conditions: format === 'cjs' ? ['require'] : [],
      write: false,
      logLevel: 'error',
    });
    return Object.fromEntries(outputFiles.map((file) => [path.basename(file.path), file.text]));
  };

  it.each(['esm', 'cjs'] as const)('has a map that leads on to the sources, %s', async (format) => {
    const { 'bundle.js': code = '', 'bundle.js.map': map = '' } = await bundle(format, true);
    const { sources, sourcesContent } = JSON.parse(map) as SourceMapPayload;
    const ours = sources.filter((source) => source.includes('/batchlatch/dist/'));
    expect(ours.length).toBeGreaterThan(100);
    expect(
      ours.filter(
        (source) => !/\/batchlatch\/dist\/(src\/.*\.ts|node_modules\/.*|builtin:\w+)$/.test(source),
      ),
    ).toEqual([]);
    expect(sourcesContent.filter((content) => typeof content !== 'string')).toEqual([]);
    const mapped = mappedText(code, JSON.parse(map) as SourceMapPayload, '');
    const thrown = placesOf(/(?<=^ *)throw new ConfigurationError/gm, code);
    expect(thrown.length).toBeGreaterThan(10);
    for (const place of thrown) expect(await mapped.sourceAt(place)).toMatch(/^throw new ConfigurationError/);
  });

  it.each(['esm', 'cjs'] as const)('has nothing of the maps in it, %s', async (format) => {
    const [plain, withMap] = [await bundle(format, false), await bundle(format, true)];
    expect(Object.keys(plain)).toEqual(['bundle.js']);
    expect(plain['bundle.js']).not.toContain('sourceMappingURL');
    expect(withMap['bundle.js']).toBe(plain['bundle.js']);
  });
});

/** All but that of esbuild's own function for CommonJS. */
const THROWN = /(?<=^ *)throw (?!mod = 0)/gm;
const DECLARED = /(?<=^export (?:declare (?:function|class|const)|interface|type) )\w/gm;

interface Mapped {
  readonly text: string;
  /** The text of the source from where this place leads; empty where it leads nowhere. */
  sourceAt(place: Omit<Place, 'file'>): Promise<string>;
}

async function mappedFile(file: string): Promise<Mapped> {
  return mappedText(await text(file), await payloadOf(`${file}.map`), path.dirname(file));
}

function mappedText(content: string, payload: SourceMapPayload, directory: string): Mapped {
  const map = new SourceMap(payload);
  return {
    text: content,
    async sourceAt({ line, column }) {
      const entry = map.findEntry(line - 1, column - 1);
      if (!('originalSource' in entry)) return '';
      const held = payload.sourcesContent?.[payload.sources.indexOf(entry.originalSource)];
      const source = held ?? (await text(path.join(directory, entry.originalSource)));
      return textAt(source, { line: entry.originalLine + 1, column: entry.originalColumn + 1 });
    },
  };
}

function filesOf(build: string, ending: string): string[] {
  const files = consumer.files.filter((file) => file.startsWith(`dist/${build}/`) && file.endsWith(ending));
  expect(files.length).toBeGreaterThan(400);
  return files;
}

async function payloadOf(file: string): Promise<SourceMapPayload> {
  return JSON.parse(await text(file)) as SourceMapPayload;
}

function text(file: string): Promise<string> {
  return readFile(path.join(library, file), 'utf8');
}

function placesOf(pattern: RegExp, content: string): Omit<Place, 'file'>[] {
  return [...content.matchAll(pattern)].map(({ index }) => {
    const before = content.slice(0, index).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  });
}

/** The line from there on. */
function textAt(content: string, { line, column }: Omit<Place, 'file'>): string {
  return (content.split('\n')[line - 1] ?? '').slice(column - 1);
}

function framesOf(stack: string): (Place & { readonly name: string })[] {
  const frames = stack.matchAll(/^ {4}at (\S+) \((?:file:\/\/)?(\/.+):(\d+):(\d+)\)$/gm);
  return [...frames].map(([, name = '', file = '', line, column]) => ({
    name,
    file,
    line: Number(line),
    column: Number(column),
  }));
}
