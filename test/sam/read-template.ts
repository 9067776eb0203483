import { readFileSync } from 'node:fs';
import { parse, type ScalarTag } from 'yaml';

/** `template.yaml` as plain data. */
export function readTemplate(): unknown {
  return parseTemplate(readFileSync('template.yaml', 'utf8'));
}

/** A template as plain data, its short forms (`!Ref x`, `!GetAtt x.y`) written out (`{ Ref: 'x' }`). */
export function parseTemplate(text: string): unknown {
  return parse(text, { customTags: [ref, getAtt] });
}

const ref: ScalarTag = { tag: '!Ref', resolve: (name) => ({ Ref: name }) };

const getAtt: ScalarTag = {
  tag: '!GetAtt',
  resolve(text) {
    const [resource, ...attribute] = text.split('.');
    return { 'Fn::GetAtt': [resource, attribute.join('.')] };
  },
};

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
