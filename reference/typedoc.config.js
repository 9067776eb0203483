import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The file of `src` of each entry. */
const entryPoints = Object.values(manifest.exports)
  .filter((entry) => typeof entry === 'object')
  .map((entry) => entry.import.default.replace('./dist/esm/', '../src/').replace(/\.js$/, '.ts'));

/** @type {Partial<import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions>} */
export default {
  name: 'batchlatch',
  entryFileName: 'index',
  entryPoints,
  tsconfig: './tsconfig.json',
  plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'],
  out: '../site/reference',
  docsRoot: '../site',
  readme: 'none',
  disableSources: manifest.repository === undefined,
  excludeExternals: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeInternal: true,
  validation: {
    notExported: false,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: false,
    unusedMergeModuleWith: true,
  },
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
    'TypeLiteral',
    'TypeParameter',
    'Accessor',
    'GetSignature',
    'SetSignature',
    'TypeAlias',
  ],
  treatWarningsAsErrors: true,
};
