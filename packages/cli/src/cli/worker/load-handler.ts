import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SqsHandler } from 'batchlatch/worker';
import { CliError, UsageError } from '../cli-error.ts';

/** Node's error codes for TypeScript that it cannot load. */
const NOT_LOADED = new Set(['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX']);
const TYPESCRIPT = /\.[mc]?tsx?$/;

/** Returns the handler that a module exports. Throws a `CliError` if it cannot be loaded. */
export async function loadHandler(file: string, name: string): Promise<SqsHandler> {
  const exported = await load(path.resolve(file), file);
  // CommonJS as a whole is the default export of its namespace, and may have a member `default` itself.
  const found = [memberOf(exported, name), memberOf(exported['default'], name)];
  const handler = found.find((one) => typeof one === 'function') ?? found.find((one) => one !== undefined);
  if (typeof handler === 'function') return handler as SqsHandler;
  if (handler !== undefined)
    throw new CliError(
      `\`${name}\` of ${file} is not a function (${typeof handler}): name another with --handler-export.`,
    );
  throw new CliError(
    `${file} has no export \`${name}\`: name another with --handler-export. It has ${listed(exported)}.`,
  );
}

type Exports = Readonly<Record<string, unknown>>;

async function load(absolute: string, file: string): Promise<Exports> {
  if (!existsSync(absolute)) throw new UsageError(`The file ${file} does not exist: check the path.`);
  try {
    if (TYPESCRIPT.test(absolute)) await registerTsx();
    return (await import(pathToFileURL(absolute).href)) as Exports;
  } catch (error) {
    throw NOT_LOADED.has(codeOf(error)) ? notTypeScript(file, error) : notLoaded(file, error);
  }
}

/** Registers the project's tsx, if it has one: it loads all of TypeScript, and Node only types. */
async function registerTsx(): Promise<void> {
  let tsx: string;
  try {
    tsx = createRequire(path.resolve('package.json')).resolve('tsx');
  } catch {
    return;
  }
  await import(pathToFileURL(tsx).href);
}

function notTypeScript(file: string, cause: unknown): CliError {
  return new CliError(
    `Node ${process.version} cannot load ${file}: compile it, or \`npm install tsx\`, ` +
      'or use Node 22.18 or later for TypeScript without enums and namespaces.',
    { cause },
  );
}

function notLoaded(file: string, cause: unknown): CliError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CliError(`${file} cannot be loaded: ${message}`, { cause });
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** Returns an own member of an ES module or of CommonJS exports. */
function memberOf(exported: unknown, name: string): unknown {
  return hasMembers(exported) && Object.hasOwn(exported, name) ? Reflect.get(exported, name) : undefined;
}

/** Names of the loader, which are no exports of the module. */
const NOT_EXPORTED = new Set(['module.exports', '__esModule']);

/** Lists what `--handler-export` may name. Names of CommonJS that Node misses are in its default export. */
function listed(exported: Exports): string {
  const inner = exported['default'];
  const names = new Set(Object.keys(exported));
  if (typeof inner === 'object' && inner !== null) names.delete('default');
  if (hasMembers(inner)) for (const name of Object.keys(inner)) names.add(name);
  const shown = [...names].filter((name) => !NOT_EXPORTED.has(name));
  return shown.length === 0 ? 'no exports' : shown.map((name) => `\`${name}\``).join(', ');
}

function hasMembers(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
