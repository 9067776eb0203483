import type { TemplateResource } from './resources.ts';
import { jsonSetting, setting } from './settings.ts';
import type { FunctionCode } from './template-model.ts';
import { asMembers, asText, member, type Value } from './values.ts';

/** Reads the location and the build settings of a function's code. */
export function readCode(resource: TemplateResource): FunctionCode {
  const { value, attributes } = resource;
  const code = value['CodeUri'] ?? value['Code'];
  const asset = asText(member(attributes, 'Metadata', 'aws:asset:path'));
  const isInS3 = asset === undefined && isElsewhere(code);
  const beside = { ...resource, value: attributes };
  return {
    handler: setting(resource, ['Handler'], asText),
    path: asset ?? (isInS3 ? undefined : asText(code)),
    isInS3,
    isImage:
      value['ImageUri'] !== undefined ||
      member(value, 'Code', 'ImageUri') !== undefined ||
      asText(value['PackageType']) === 'Image',
    isInTemplate: value['InlineCode'] !== undefined || member(value, 'Code', 'ZipFile') !== undefined,
    isDurable: value['DurableConfig'] !== undefined,
    build: jsonSetting(beside, ['Metadata', 'BuildProperties'], {}),
  };
}

function isElsewhere(code: Value): boolean {
  return asMembers(code) !== undefined || /^(s3|https?):\/\//.test(asText(code) ?? '');
}
