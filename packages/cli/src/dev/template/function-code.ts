import path from 'node:path';
import type { TemplateFunction } from '../../template/template-model.ts';
import { withoutExtension } from '../functions/build-settings.ts';
import { neededOf, type Reading, templateError, valueOf } from './reading.ts';

/** The place of a function's code on this machine, and its build settings. */
export interface LocalCode {
  readonly folder: string;
  readonly entry: string;
  readonly exportName: string;
  readonly buildProperties: Readonly<Record<string, unknown>>;
}

/** Returns the code of a function; adds a note and returns undefined if it cannot run here. */
export function localCode(reading: Reading, fn: TemplateFunction): LocalCode | undefined {
  const why = whyElsewhere(reading, fn);
  if (why !== undefined) {
    reading.notes.add(`${fn.name} does not run here: ${why}.`);
    return undefined;
  }
  const { code } = fn;
  const handler = neededOf(reading, fn, code.handler);
  const parts = /^(.*\/)?([^./]+)\.([^/]+)$/.exec(handler);
  const [, folder = '', module = '', exportName = ''] = parts ?? [];
  if (parts === null) {
    const what = `\`Handler\` of ${fn.name} must be a module, a dot and an export, got \`${handler}\``;
    throw templateError(reading, code.handler.line, what);
  }
  const buildProperties = { ...Object(valueOf(reading, fn, code.build)) } as Record<string, unknown>;
  return {
    folder: path.resolve(path.dirname(reading.file), code.path ?? '.'),
    entry: entryPointOf(`${folder}${module}`, buildProperties['EntryPoints']) ?? `${folder}${module}`,
    exportName,
    buildProperties,
  };
}

/** Returns the entry point of a module: the one whose name it has, else the first. */
function entryPointOf(module: string, entryPoints: unknown): string | undefined {
  const all = [entryPoints].flat().filter((one) => typeof one === 'string');
  const names = (entryPoint: string): boolean => `/${withoutExtension(entryPoint)}`.endsWith(`/${module}`);
  return all.find(names) ?? all[0];
}

function whyElsewhere(reading: Reading, fn: TemplateFunction): string | undefined {
  const { code } = fn;
  if (code.isImage) return 'its code is an image';
  if (code.isDurable) return 'it has `DurableConfig`, and durable executions are run by AWS alone';
  const runtime = valueOf(reading, fn, fn.runtime) ?? 'nodejs';
  if (!runtime.startsWith('nodejs')) return `its runtime is ${runtime}, and only those of Node.js run`;
  if (code.isInTemplate) return 'its code is in the template';
  if (code.isInS3) return 'its code is in Amazon S3';
  return /\.(zip|jar)$/.test(code.path ?? '') ? 'its code is an archive' : undefined;
}
