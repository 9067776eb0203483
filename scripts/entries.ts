import { readFileSync, writeFileSync } from 'node:fs';

/** What programs import of the library, and the file in `src` that each name leads to. `npm run build` writes `exports` of package.json from it. */
export const ENTRIES: Readonly<Record<string, string>> = {
  '.': 'index',
  './avro': 'avro/index',
  './core': 'core',
  './durable': 'durable/index',
  './dynamodb': 'stores/dynamodb/index',
  './functions': 'functions/index',
  './http': 'http/index',
  './jmespath': 'jmespath/index',
  './memory': 'stores/memory/index',
  './messages': 'messages',
  './monitor': 'monitor/index',
  './observe': 'observe/index',
  './opentelemetry': 'opentelemetry/index',
  './operations': 'operations/index',
  './outbox': 'outbox/index',
  './postgres': 'stores/postgres/index',
  './powertools': 'powertools/index',
  './protobuf': 'protobuf/index',
  './redis': 'stores/redis/index',
  './s3': 's3/index',
  './sender': 'sender/index',
  './testing': 'testing/index',
  './worker': 'worker/index',
};

/** The `exports` of a package.json: each entry in both builds, with its types. */
export function exportsOf(entries: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const built = Object.entries(entries).map(([entry, file]) => [
    entry,
    {
      import: { types: `./dist/esm/${file}.d.ts`, default: `./dist/esm/${file}.js` },
      require: { types: `./dist/cjs/${file}.d.ts`, default: `./dist/cjs/${file}.js` },
    },
  ]);
  return { ...Object.fromEntries(built), './package.json': './package.json' };
}

/** Writes the entries into a package.json, where they are not there yet. */
export function writeExports(manifestFile: string, entries: Readonly<Record<string, string>>): void {
  const text = readFileSync(manifestFile, 'utf8');
  const manifest = { ...(JSON.parse(text) as object), exports: exportsOf(entries) };
  const written = `${JSON.stringify(manifest, undefined, 2)}\n`;
  if (written !== text) writeFileSync(manifestFile, written);
}
