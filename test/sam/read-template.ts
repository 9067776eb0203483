import { readFileSync } from 'node:fs';
import { type CollectionTag, parse, type ScalarTag } from 'yaml';

/** A template of this repository as plain data, with the defaults of its parameters where it refers to them. */
export function readTemplate(path: string = 'template.yaml'): unknown {
  return withDefaults(readTemplateText(path));
}

/** The same as it is written: references to parameters are left. */
export function readTemplateText(path: string = 'template.yaml'): unknown {
  return parseTemplate(readFileSync(path, 'utf8'));
}

/** A template as plain data, its short forms (`!Ref x`, `!GetAtt x.y`) written out (`{ Ref: 'x' }`). */
export function parseTemplate(text: string): unknown {
  const lists = ['FindInMap', 'Not', 'Equals', 'Select', 'Split', 'Sub'].map(listForm);
  return parse(text, { customTags: [ref, getAtt, sub, ...lists] });
}

const ref: ScalarTag = { tag: '!Ref', resolve: (name) => ({ Ref: name }) };

const sub: ScalarTag = { tag: '!Sub', resolve: (text) => ({ 'Fn::Sub': text }) };

const getAtt: ScalarTag = {
  tag: '!GetAtt',
  resolve(text) {
    const [resource, ...attribute] = text.split('.');
    return { 'Fn::GetAtt': [resource, attribute.join('.')] };
  },
};

/** A function whose arguments are a list, such as `!FindInMap [a, b, c]`. */
function listForm(name: string): CollectionTag {
  return {
    tag: `!${name}`,
    collection: 'seq',
    resolve: (list) => {
      const members: unknown = JSON.parse(JSON.stringify(list));
      return { [`Fn::${name}`]: members };
    },
  };
}

/** A template with values for its parameters: the given ones, and the defaults of the others. */
export function withDefaults(template: unknown, values: Readonly<Record<string, unknown>> = {}): unknown {
  const parameters = membersOf(template, 'Parameters');
  const valueOf = (name: string): unknown => values[name] ?? at(parameters, name, 'Default');
  const resolved = (data: unknown): unknown => {
    if (Array.isArray(data)) return data.map(resolved);
    if (typeof data !== 'object' || data === null) return data;
    if ('Ref' in data && typeof data.Ref === 'string' && Object.hasOwn(parameters, data.Ref)) {
      return valueOf(data.Ref);
    }
    if ('Fn::FindInMap' in data) {
      const path = resolved(data['Fn::FindInMap']) as unknown[];
      return at(membersOf(template, 'Mappings'), ...path.map(String));
    }
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, resolved(value)]));
  };
  return resolved(template);
}

/** A section of a template; empty where it has none. */
export function membersOf(template: unknown, section: string): Readonly<Record<string, unknown>> {
  const members: unknown =
    typeof template === 'object' && template !== null ? Reflect.get(template, section) : undefined;
  return (members ?? {}) as Readonly<Record<string, unknown>>;
}

/** The names and the properties of all resources of a type. */
export function resourcesOf(
  template: unknown,
  type: string,
): [name: string, properties: Readonly<Record<string, unknown>>][] {
  return Object.entries(membersOf(template, 'Resources')).flatMap(([name, resource]) =>
    at(resource, 'Type') === type ? [[name, membersOf(resource, 'Properties')]] : [],
  );
}

/** What lies under this path; an error that names the path where there is nothing. */
export function at(data: unknown, ...path: (string | number)[]): unknown {
  let value = data;
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
    if (value === undefined)
      throw new Error(`Expected something at ${path.join('.')}, found nothing at ${step}`);
  }
  return value;
}

/** Every member of this name at any depth. */
export function everyMember(data: unknown, name: string): unknown[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...everyMember(value, name),
  ]);
}
