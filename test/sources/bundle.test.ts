import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

/** What a bundle that exports these names of the package declares: functions and classes by their names, and its files. */
async function bundleOf(...names: string[]): Promise<{ declares(name: string): boolean; files: string[] }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export { ${names.join(', ')} } from './src/index.ts';`, resolveDir: process.cwd() },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    write: false,
  });
  const text = outputFiles.map((file) => file.text).join('\n');
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path.replace(/^src\//, '')),
  );
  return {
    declares: (name) => new RegExp(`^(?:async )?(?:function|class|var|let|const) ${name}\\b`, 'm').test(text),
    files,
  };
}

const SOURCES = ['sqs', 'kinesis', 'dynamoDBStream', 'sns', 's3', 'eventBridge', 'eventBridgeBus', 'kafka'];
const ENVELOPES = ['snsEnvelope', 's3Envelope', 'eventBridgeEnvelope'];
const DECODING = [...ENVELOPES, 'envelopeStep', 'decodePayloads', 'decoder', 'gzip', 'base64'];

describe('The bundle of a source', () => {
  it.each(SOURCES)('holds no other: %s', async (name) => {
    const { declares, files } = await bundleOf(name);
    expect(SOURCES.filter(declares)).toEqual([name]);
    expect(files).not.toContain('sources/known-services.ts');
    expect(files).not.toContain('sources/all-sources.ts');
  });

  it.each(SOURCES)('holds nothing that opens envelopes or decodes: %s', async (name) => {
    const { declares } = await bundleOf(name);
    expect(DECODING.filter(declares)).toEqual([]);
  });
});

describe('The bundle of a step of `decode`', () => {
  it.each(ENVELOPES)('holds the others of its kind at most, and waits for nothing: %s', async (name) => {
    const { declares } = await bundleOf(name);
    expect(DECODING.filter(declares).toSorted()).toEqual(['envelopeStep', name].toSorted());
    expect(SOURCES.filter(declares)).toEqual([]);
  });

  it('holds what decodes for a decoder', async () => {
    const { declares } = await bundleOf('decoder');
    expect(ENVELOPES.filter(declares)).toEqual([]);
    expect(declares('decodePayloads')).toBe(true);
  });
});
