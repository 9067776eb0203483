import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type * as esbuildModule from 'esbuild';
import type { BuildOptions, BuildResult, Message, Plugin } from 'esbuild';
import type { DevFunction } from '../stack.ts';
import { type BuildSettings, buildSettings, withoutExtension } from './build-settings.ts';
import type { FunctionCode } from './execution-environment.ts';
import { handlerOf } from './function-environment.ts';

/** The part of esbuild that is used. The caller passes it in, because the project has its own. */
export type Esbuild = Pick<typeof esbuildModule, 'build' | 'context'>;

/** A build error. */
export interface BuildMessage {
  readonly text: string;
  /** `src/orders.ts:12:4`. */
  readonly place: string | undefined;
  /** The source line. */
  readonly line: string | undefined;
}

export interface FunctionBuildOptions {
  readonly esbuild: Esbuild;
  readonly fn: DevFunction;
  /** The folder for the build, of this function only. */
  readonly folder: string;
  readonly onBuilt: (code: FunctionCode) => void;
  /** Called for a failed build; the code before it stays in use. */
  readonly onFailed: (messages: readonly BuildMessage[]) => void;
}

/** The builds that are kept: processes of an earlier one may still load parts of it. */
const KEPT_BUILDS = 3;

/** Returns the code of a function that needs no build, else undefined. Throws if there is no such module. */
export function codeAsItLies(fn: DevFunction): FunctionCode | undefined {
  const { entry, isBundled } = buildSettings(fn);
  return isBundled ? undefined : codeOf(fn, entry, fn.folder);
}

/** Builds a function once. Throws a `BuildFailedError` if that fails. */
export async function buildFunction(
  options: Pick<FunctionBuildOptions, 'esbuild' | 'fn' | 'folder'>,
): Promise<FunctionCode> {
  let built: FunctionCode | undefined;
  let failed: readonly BuildMessage[] = [];
  const settings = buildSettings(options.fn);
  const given = await esbuildOptions(settings, {
    ...options,
    onBuilt: (code) => (built = code),
    onFailed: (messages) => (failed = messages),
  });
  await options.esbuild.build(given).catch(() => undefined); // `onFailed` has the errors
  if (built !== undefined) return built;
  throw new BuildFailedError(options.fn, failed);
}

/** Error for sources that cannot be built. */
export class BuildFailedError extends Error {
  override readonly name = 'BuildFailedError';
  readonly messages: readonly BuildMessage[];

  constructor(fn: DevFunction, messages: readonly BuildMessage[]) {
    const [first] = messages;
    const where = first?.place === undefined ? '' : ` (${first.place})`;
    super(`The function ${fn.id} cannot be built: ${first?.text ?? 'esbuild does not say why'}${where}`);
    this.messages = messages;
  }
}

/** Builds a function now, and after each change of its sources, until `stop()`. */
export async function watchFunction(options: FunctionBuildOptions): Promise<{ stop(): Promise<void> }> {
  const context = await options.esbuild.context(await esbuildOptions(buildSettings(options.fn), options));
  await context.watch();
  return { stop: () => context.dispose() };
}

async function esbuildOptions(
  settings: BuildSettings,
  { fn, folder, onBuilt, onFailed }: Omit<FunctionBuildOptions, 'esbuild'>,
): Promise<BuildOptions> {
  const root = await besidePackages(folder, fn.folder);
  const extension = settings.options.format === 'esm' ? '.mjs' : '.cjs';
  let count = 0;

  const onEnd = async ({ errors, outputFiles = [] }: BuildResult): Promise<void> => {
    if (errors.length > 0) return onFailed(errors.map(messageOf));
    if (!settings.isBundled) return onBuilt(codeOf(fn, settings.entry, fn.folder));
    count += 1;
    const target = path.join(root, String(count));
    for (const { path: file, contents } of outputFiles) {
      const name = path.join(target, path.relative(path.join(root, 'out'), file));
      await mkdir(path.dirname(name), { recursive: true });
      await writeFile(name, contents);
    }
    await rm(path.join(root, String(count - KEPT_BUILDS)), { recursive: true, force: true });
    const base = withoutExtension(path.basename(settings.entry));
    onBuilt(codeOf(fn, path.join(target, base + extension), target));
  };
  const report: Plugin = { name: 'batchlatch', setup: (build) => build.onEnd(onEnd) };

  return {
    absWorkingDir: fn.folder,
    logLevel: 'silent',
    legalComments: 'none',
    ...settings.options,
    entryPoints: [settings.entry],
    outdir: path.join(root, 'out'),
    outExtension: { '.js': extension },
    bundle: true,
    platform: 'node',
    write: false,
    sourcemap: 'linked',
    plugins: [report],
  };
}

function codeOf(fn: DevFunction, module: string, taskRoot: string): FunctionCode {
  return { module, exportName: fn.exportName, handler: handlerOf(fn), taskRoot };
}

/**
 * Returns a folder in which external packages resolve as beside the sources: nested in one folder for each
 * `node_modules` above the sources, the nearest innermost.
 */
async function besidePackages(folder: string, sources: string): Promise<string> {
  let inner = folder;
  await mkdir(inner, { recursive: true });
  for (const packages of packagesAbove(sources).reverse()) {
    await symlink(packages, path.join(inner, 'node_modules'), 'junction');
    inner = path.join(inner, 'code');
    await mkdir(inner);
  }
  return inner;
}

function packagesAbove(folder: string): string[] {
  const found: string[] = [];
  for (let at = folder; ; at = path.dirname(at)) {
    const packages = path.join(at, 'node_modules');
    if (existsSync(packages)) found.push(packages);
    if (path.dirname(at) === at) return found;
  }
}

function messageOf({ text, location }: Message): BuildMessage {
  if (location === null) return { text, place: undefined, line: undefined };
  const { file, line, column, lineText } = location;
  return { text, place: `${file}:${line}:${column + 1}`, line: lineText };
}
