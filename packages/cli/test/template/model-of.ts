import { parseTemplate } from '../../src/template/parse-template.ts';
import { readTemplate } from '../../src/template/read-template.ts';
import { Resolver } from '../../src/template/resolver.ts';
import { TemplateResources } from '../../src/template/resources.ts';
import type { TemplateModel } from '../../src/template/template-model.ts';

/** The model of a template, as it is judged. */
export function modelOf(text: string): TemplateModel {
  const template = parseTemplate({ file: 'template.yaml', text });
  return readTemplate(template, new Resolver(template.data, {}));
}

/** The resources of a template, with parameters given. */
export function resourcesOf(
  text: string,
  parameters: Readonly<Record<string, string>> = {},
): TemplateResources {
  const template = parseTemplate({ file: 'template.yaml', text });
  return new TemplateResources(template, new Resolver(template.data, parameters));
}

/** The only one. Throws if there are none, or more. */
export function only<T>(list: readonly T[]): T {
  const [first, ...others] = list;
  if (first === undefined || others.length > 0) throw new Error(`Expected one, got ${list.length}`);
  return first;
}
