import path from 'node:path';
import type { TemplateResource } from '../../template/resources.ts';
import { asList, asMembers, asText, member, type Value } from '../../template/values.ts';
import { neededText, plainOf, type Reading, templateError, textOf } from './reading.ts';

/** Where a function's code is on this machine, and how it is built. */
export interface FunctionCode {
  readonly folder: string;
  readonly entry: string;
  readonly exportName: string;
  readonly buildProperties: Readonly<Record<string, unknown>>;
}

/** The code of a function; undefined, with a note, where it cannot run here. */
export function readCode(reading: Reading, resource: TemplateResource): FunctionCode | undefined {
  const why = whyElsewhere(reading, resource);
  if (why !== undefined) {
    reading.notes.add(`${resource.name} does not run here: ${why}.`);
    return undefined;
  }
  const source = { place: resource, name: resource.name };
  const handler = neededText(reading, source, ['Handler']);
  const parts = /^(.*\/)?([^./]+)\.([^/]+)$/.exec(handler);
  const [, folder = '', module = '', exportName = ''] = parts ?? [];
  if (parts === null) {
    const what = `\`Handler\` of ${resource.name} must be a module, a dot and the name of its export, got \`${handler}\``;
    throw templateError(reading, resource.lineOf(['Handler']), what);
  }
  const properties = member(resource.attributes, 'Metadata', 'BuildProperties');
  const build = plainOf(reading, source, ['Metadata', 'BuildProperties'], properties ?? {});
  const entryPoint = asText(asList(member(properties, 'EntryPoints'))[0]);
  return {
    folder: path.resolve(path.dirname(reading.file), localFolder(resource) ?? '.'),
    entry: entryPoint ?? `${folder}${module}`,
    exportName,
    buildProperties: typeof build === 'object' && build !== null ? { ...build } : {},
  };
}

function whyElsewhere(reading: Reading, resource: TemplateResource): string | undefined {
  const source = { place: resource, name: resource.name };
  const { value } = resource;
  if (textOf(reading, source, ['PackageType']) === 'Image') return 'its code is an image';
  if (value['DurableConfig'] !== undefined) {
    return 'it has `DurableConfig`, and durable executions are run by AWS alone';
  }
  const runtime = textOf(reading, source, ['Runtime'], 'nodejs');
  if (!runtime.startsWith('nodejs')) return `its runtime is ${runtime}, and only those of Node.js run`;
  if (value['InlineCode'] !== undefined || member(value, 'Code', 'ZipFile') !== undefined) {
    return 'its code is in the template';
  }
  const folder = localFolder(resource);
  if (folder === undefined && isElsewhere(value['CodeUri'] ?? value['Code']))
    return 'its code is in Amazon S3';
  if (folder !== undefined && /\.(zip|jar)$/.test(folder)) return 'its code is an archive';
  return undefined;
}

/** SAM's `CodeUri`, the path that the AWS CLI packages, or the folder that CDK has put the code in. */
function localFolder({ value, attributes }: TemplateResource): string | undefined {
  const asset = asText(member(attributes, 'Metadata', 'aws:asset:path'));
  if (asset !== undefined) return asset;
  const code = value['CodeUri'] ?? value['Code'];
  return typeof code === 'string' && !isElsewhere(code) ? code : undefined;
}

function isElsewhere(code: Value): boolean {
  return typeof code === 'string' ? /^(s3|https?):\/\//.test(code) : asMembers(code) !== undefined;
}
