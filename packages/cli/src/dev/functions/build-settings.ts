import { statSync } from 'node:fs';
import path from 'node:path';
import type { BuildOptions } from 'esbuild';
import type { DevFunction } from '../stack.ts';

/** How a function's code is built. */
export interface BuildSettings {
  /** The file of the function's module. */
  readonly entry: string;
  /** Whether a bundle runs; else the module runs in its place. */
  readonly isBundled: boolean;
  readonly options: BuildOptions;
}

const EXTENSIONS = ['', '.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs'];
const TYPESCRIPT = /\.[cm]?tsx?$/;
const REQUIRE_BANNER =
  "import { createRequire as devCreateRequire } from 'node:module'; " +
  'const require = devCreateRequire(import.meta.url);';

/**
 * Returns esbuild's settings as `sam build` takes them from `Metadata.BuildProperties`, but with source maps
 * and not minified. JavaScript without such metadata runs unbuilt, as on AWS. Throws if there is no module.
 */
export function buildSettings(fn: DevFunction): BuildSettings {
  const entry = entryOf(fn);
  const isDescribed = Object.keys(fn.buildProperties).length > 0;
  const isBundled = isDescribed || TYPESCRIPT.test(entry);
  if (!isBundled) return { entry, isBundled, options: { packages: 'external', format: 'esm' } };
  if (!isDescribed) return { entry, isBundled, options: { format: 'esm', banner: { js: REQUIRE_BANNER } } };
  return { entry, isBundled, options: optionsOf(fn.buildProperties) };
}

function entryOf(fn: DevFunction): string {
  const file = path.resolve(fn.folder, fn.entry);
  const found = EXTENSIONS.map((extension) => file + extension).find(isFile);
  if (found !== undefined) return found;
  throw new Error(
    `The function ${fn.id} has no module ${file}, with or without .ts or ` +
      '.js: check CodeUri, Handler and EntryPoints in the template.',
  );
}

/** Returns the path of a module of JavaScript or TypeScript without its extension. */
export function withoutExtension(file: string): string {
  return file.replace(/\.[cm]?[jt]sx?$/, '');
}

function isFile(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns the options that change what the code does or whether it builds. */
function optionsOf(build: Readonly<Record<string, unknown>>): BuildOptions {
  const format = text(build['Format']) === 'esm' ? 'esm' : 'cjs';
  const mainFields = list(build['MainFields']);
  const conditions = list(build['Conditions']);
  const inject = list(build['Inject']);
  const resolveExtensions = list(build['ResolveExtensions']);
  return {
    format,
    external: list(build['External']),
    ...(mainFields.length > 0 && { mainFields }),
    ...(conditions.length > 0 && { conditions }),
    ...(resolveExtensions.length > 0 && { resolveExtensions }),
    ...(inject.length > 0 && { inject }),
    ...(isSet(build['Packages']) && { packages: text(build['Packages']) as 'external' }),
    target: text(build['Target']) || 'es2020',
    banner: pairs(build['Banner']),
    footer: pairs(build['Footer']),
    define: pairs(build['Define']),
    alias: pairs(build['Alias']),
    loader: pairs(build['Loader']) as NonNullable<BuildOptions['loader']>,
    keepNames: build['KeepNames'] === true,
    ...(isSet(build['Tsconfig']) && { tsconfig: text(build['Tsconfig']) }),
  };
}

function isSet(value: unknown): boolean {
  return text(value) !== '';
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Parses a list: `[a, b]` or `a,b`. */
function list(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(text);
  return text(value) === '' ? [] : text(value).split(',');
}

/** Parses pairs: `['js=…']` or an object. */
function pairs(value: unknown): Record<string, string> {
  if (Array.isArray(value)) {
    return Object.fromEntries(
      value.map(text).map((pair) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), pair.slice(at + 1)] as const;
      }),
    );
  }
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, text(one)]));
}
