import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** The file of `src` of each entry. */
const entryPoints = Object.values(manifest.exports)
  .filter((entry) => typeof entry === 'object')
  .map((entry) => entry.import.default.replace('./dist/esm/', '../../src/').replace(/\.js$/, '.ts'))
  .concat('../../packages/cdk/src/index.ts');

/**
 * What a function gets that stands inside of a union or is what a call gives: no tag of TSDoc can say it there, so what the
 * function is a part of says it. An entry that is not needed any more is an error.
 */
const intentionallyNotDocumented = [
  'batchlatch.BatchProcessorOptions.namespace.__type.record',
  'batchlatch.BatchProcessorOptions.queueUrl.__type.queueArn',
  'batchlatch.Completion.__type.end', // of an `Extract`, whose members have the texts of `Settlement`
  'batchlatch.DecoderStep.data',
  'batchlatch.DecoderStep.options',
  'batchlatch.DecoderStep.record',
  'batchlatch/messages.MessageOptions.group.__type.body',
  'batchlatch/messages.MessageOptions.key.__type.body',
  'batchlatch.ProcessorOptions.namespace.__type.record',
  'batchlatch.ProcessorOptions.queueUrl.__type.queueArn',
  'batchlatch.RoutedOptions.namespace.__type.record',
  'batchlatch.RoutedOptions.queueUrl.__type.queueArn',
  'batchlatch/messages.Routes.gather',
  'batchlatch/messages.RoutesOptions.by.__type.record',
  'batchlatch/functions.argumentHash.__type.argument',
  'batchlatch/functions.Idempotent.__type.this',
  'batchlatch/functions.IdempotencyOptions.namespace.__type.args',
  'batchlatch/functions.CallOptions.replayFailures.__type.error',
  'batchlatch/functions.IdempotencyOptions.replayFailures.__type.error',
  'batchlatch/functions.WholeKeyOptions.replayFailures.__type.error',
  'batchlatch/http.HttpIdempotencyOptions.scope.__type.request',
  'batchlatch/http.KeyFormat.__type.key',
  'batchlatch/http.withFetchIdempotency.__type.request',
  'batchlatch/http.withFetchIdempotency.__type.rest',
  'batchlatch/http.withFetchIdempotencyContext.__type.request',
  'batchlatch/http.withFetchIdempotencyContext.__type.rest',
  'batchlatch/http.withHttpIdempotency.__type.event',
  'batchlatch/http.withHttpIdempotency.__type.lambda',
  'batchlatch/http.withHttpIdempotencyContext.__type.event',
  'batchlatch/http.withHttpIdempotencyContext.__type.lambda',
  'batchlatch/operations.ProcessorKeyOptions.namespace.__type.record',
  'batchlatch/operations.RedriveOptions.which.__type.message',
  'batchlatch/s3.S3PointerOptions.buckets.__type.target',
];

/** Types that a reader does not need the name of, and that are not the package's promise. */
const intentionallyNotExported = [
  // What AWS's SDK has: a client of it is given.
  'BatchAnswer',
  'CallOptions',
  'Client',
  'ClientOfDynamoDB',
  'FailedEntry',
  'MoveTask',
  'ReceivedMessage',
  'Row',
  'SdkMessage',
  'SendEntry',
  'SqsCallOptions',
  'VisibilityEntry',
  // The text of what uses them says their values, or what they hold.
  'AnyFunction',
  'ClaimChange',
  'Depth',
  'Given',
  'LEVELS',
  'HandledRecord',
  'PathTo',
  'SentBody',
  'STATUS_OF',
  'Uninferred',
  'WithBody',
];

/** @type {Partial<import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions>} */
export default {
  name: 'API reference',
  entryFileName: 'index',
  entryPoints,
  tsconfig: './tsconfig.json',
  plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'],
  out: '../reference',
  docsRoot: '..',
  readme: 'none',
  // Links to sources need the repository's address.
  disableSources: manifest.repository === undefined,
  excludeExternals: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeInternal: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'list',
  // What can be called comes first, each with its first sentence.
  indexFormat: 'table',
  groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables', '*'],
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
  // All but `TypeLiteral`: what a literal type is in says what it is, and its members are properties.
  requiredToBeDocumented: [
    'Module',
    'Namespace',
    'Enum',
    'EnumMember',
    'Variable',
    'Function',
    'Class',
    'Interface',
    'Constructor',
    'Property',
    'Method',
    'CallSignature',
    'IndexSignature',
    'ConstructorSignature',
    'Parameter',
    'TypeParameter',
    'Accessor',
    'GetSignature',
    'SetSignature',
    'TypeAlias',
  ],
  intentionallyNotDocumented,
  intentionallyNotExported,
  treatWarningsAsErrors: true,
};
