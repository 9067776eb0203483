import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

/** The files of `src` of which something is left in a bundle that exports these names of the package. */
async function filesFor(...names: string[]): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: `export { ${names.join(', ')} } from './src/index.ts';`, resolveDir: process.cwd() },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    write: false,
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path.replace(/^src\//, '')),
  );
}

const SOURCES = ['sqs', 'kinesis', 'dynamoDBStream', 'sns', 's3', 'eventBridge', 'eventBridgeBus', 'kafka'];
const FILES = [
  'sqs',
  'kinesis',
  'dynamodb-stream',
  'sns',
  's3',
  'eventbridge',
  'eventbridge-bus',
  'kafka',
].map((name) => `sources/${name}.ts`);

describe('The bundle of a source', () => {
  it.each(SOURCES.map((name, index) => [name, FILES[index]]))('holds no other: %s', async (name, file) => {
    const files = await filesFor(name as string);
    expect(files.filter((path) => FILES.includes(path))).toEqual([file]);
    expect(files).not.toContain('sources/known-services.ts');
    expect(files).not.toContain('sources/all-sources.ts');
  });

  it('holds nothing that opens envelopes or decodes', async () => {
    expect((await filesFor('sqs', 'kinesis', 'sns')).filter(isDecoding)).toEqual([]);
  });
});

describe('The bundle of a step of `decode`', () => {
  it('holds the others of its kind at most: an envelope waits for nothing', async () => {
    expect((await filesFor('snsEnvelope')).filter(isDecoding).toSorted()).toEqual([
      'sources/envelope-steps.ts',
      'sources/sns-envelope.ts',
    ]);
  });

  it('holds what decodes for a decoder', async () => {
    const files = await filesFor('decoder');
    expect(files.filter((path) => path.endsWith('-envelope.ts'))).toEqual([]);
    expect(files).toContain('sources/decode-payloads.ts');
  });
});

function isDecoding(path: string): boolean {
  return /-envelope\.ts|envelope-steps\.ts|decode-payloads\.ts|gzip\.ts|base64\.ts/.test(path);
}
