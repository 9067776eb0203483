import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

/** What is in the bundle of a function that exports these, of the files and packages that are asked for. */
async function bundled(statements: string, ...asked: string[]): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: statements, resolveDir: fileURLToPath(new URL('../../src', import.meta.url)) },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'bundle',
    tsconfigRaw: {},
    metafile: true,
    write: false,
  });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  );
  return asked.filter((one) => files.some((file) => file.includes(one)));
}

/** Packages of AWS's SDK: its clients, what they are made of, and what finds credentials. */
const SDK = [
  '@smithy/',
  '@aws-sdk/client-',
  '@aws-sdk/core',
  '@aws-sdk/credential-provider-',
  '@aws-sdk/lib-',
];

describe('A bundle', () => {
  const processor = "export { createBatchProcessor } from './index.ts';";
  const ofPeople = [
    'claims/changes',
    'claims/bounded-admin',
    'scan-reader',
    'index-reader',
    'dynamodb-admin',
    'src/operations/',
  ];
  const parts = [
    'quick-lru',
    'stores/cached',
    'stores/results-in',
    'commit-items',
    'commit-with-completion',
    ...ofPeople,
  ];

  it('has nothing of a wrapper, a commit or what people do that nobody imports', async () => {
    expect(await bundled(processor, 'stores/dynamodb/dynamodb-store', ...parts)).toEqual([
      'stores/dynamodb/dynamodb-store',
    ]);
  });

  it.each([
    processor,
    "export * from './stores/dynamodb/index.ts';",
    "export { withIdempotency } from './functions/index.ts';",
    "export { withHttpIdempotency } from './http/index.ts';",
  ])("has nothing of AWS's SDK but what converts its JSON: %s", async (statements) => {
    const asked = ['aws/direct-sender', ...SDK];
    expect(await bundled(statements, ...asked)).toEqual(asked.slice(0, 1));
  });

  it('has nothing of what people do for who names the store', async () => {
    const store =
      "export { cached, resultsIn } from './index.ts'; export { commit, dynamoDBStore } from './stores/dynamodb/index.ts';";
    expect(await bundled(store, 'stores/dynamodb/dynamodb-store', ...ofPeople)).toEqual([
      'stores/dynamodb/dynamodb-store',
    ]);
  });

  it('has the code for what people do, and no engine, for who operates', async () => {
    const operations =
      "export * from './operations/index.ts'; export { dynamoDBAdmin } from './stores/dynamodb/index.ts';";
    const asked = [...ofPeople, 'dynamodb-store', 'rows/acquire', 'stores/memory', 'src/batch/'];
    expect(await bundled(operations, ...asked)).toEqual(ofPeople);
  });

  it('has no observer but JSON lines', async () => {
    const asked = ['observe/json-lines', 'observe/', 'opentelemetry'];
    expect(await bundled(processor, ...asked)).toEqual(['observe/json-lines', 'observe/']);
    const others = [
      'emf-metrics',
      'totals',
      'powertools',
      'diagnostics-channel',
      'observe/observers',
      'run-segments',
    ];
    expect(await bundled(processor, ...others)).toEqual([]);
  });

  it.each([
    ["export { cached } from './index.ts';", ['quick-lru', 'stores/cached']],
    ["export { resultsIn } from './index.ts';", ['stores/results-in']],
    ["export { commit } from './stores/dynamodb/index.ts';", ['commit-items', 'commit-with-completion']],
  ])('has it where it is imported: %s', async (statement, expected) => {
    expect(await bundled(`${processor}${statement}`, ...parts)).toEqual(expected);
  });
});
