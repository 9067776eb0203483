// Intrinsic functions that depend only on their arguments.
import {
  asBoolean,
  asList,
  asMembers,
  asText,
  Composite,
  knownText,
  Reference,
  Unknown,
  type Value,
  whyUnknown,
} from './values.ts';

/** `Fn::Join` and `Fn::Sub`: a text if all parts are known. A single part is returned unchanged. */
export function composed(values: readonly Value[]): Value {
  const parts = values.flatMap((value): (string | Reference | Unknown)[] => {
    if (value instanceof Composite) return [...value.parts];
    if (value instanceof Reference || value instanceof Unknown) return [value];
    const text = asText(value);
    return text === undefined ? [new Unknown('a part of it is not a text')] : [text];
  });
  const filled = parts.filter((part) => part !== '');
  const [only] = filled;
  if (filled.length === 1 && only !== undefined) return only;
  return filled.every((part) => typeof part === 'string') ? filled.join('') : new Composite(filled);
}

/** `Fn::Select` */
export function select([index, list]: readonly Value[]): Value {
  if (list instanceof Unknown) return list;
  const found = asList(list)[Number(asText(index))];
  return found === undefined ? new Unknown('its Fn::Select finds nothing') : found;
}

/** `Fn::Split` */
export function split([separator, whole]: readonly Value[]): Value {
  const text = knownText(whole);
  if (typeof separator !== 'string' || text === undefined)
    return new Unknown('its Fn::Split cannot be worked out');
  return text.split(separator);
}

/** `Fn::Base64` */
export function base64(value: Value): Value {
  if (value instanceof Unknown) return value;
  const text = asText(value);
  if (text === undefined) return new Unknown('its Fn::Base64 cannot be worked out');
  return Buffer.from(text, 'utf8').toString('base64');
}

/** `Fn::ToJsonString`, of AWS::LanguageExtensions: JSON, in which references stay parts. */
export function toJsonText(value: Value): Value {
  return composed(jsonParts(value));
}

function jsonParts(value: Value): readonly Value[] {
  if (value instanceof Unknown) return [value];
  if (value instanceof Reference || value instanceof Composite) {
    const parts = value instanceof Composite ? value.parts : [value];
    const escaped = parts.map((part) =>
      typeof part === 'string' ? JSON.stringify(part).slice(1, -1) : part,
    );
    return ['"', ...escaped, '"'];
  }
  if (Array.isArray(value)) {
    return ['[', ...joined((value as readonly Value[]).map(jsonParts)), ']'];
  }
  const members = asMembers(value);
  if (members === undefined) return [JSON.stringify(value ?? null)];
  const entries = Object.entries(members).map(([name, one]) => [
    `${JSON.stringify(name)}:`,
    ...jsonParts(one),
  ]);
  return ['{', ...joined(entries), '}'];
}

function joined(lists: readonly (readonly Value[])[]): readonly Value[] {
  return lists.flatMap((list, index) => (index === 0 ? list : [',', ...list]));
}

/** The condition functions. Any other function is unknown. */
export function logical(name: string, values: readonly Value[]): Value {
  const unknown =
    values.find((value) => whyUnknown(value)?.includes('parameter')) ??
    new Unknown(`${name} cannot be worked out`);
  const facts = values.map((value) => (asMembers(value) === undefined ? asBoolean(value) : undefined));
  switch (name) {
    case 'Fn::Equals': {
      const [left, right] = values.map(asText);
      if (left === undefined || right === undefined) return unknown;
      return /<\?>|\$\{AWS\./.test(left + right) ? unknown : left === right;
    }
    case 'Fn::Not':
      return facts[0] === undefined ? unknown : !facts[0];
    case 'Fn::And':
      if (facts.includes(false)) return false;
      return facts.includes(undefined) ? unknown : true;
    case 'Fn::Or':
      if (facts.includes(true)) return true;
      return facts.includes(undefined) ? unknown : false;
    default:
      return unknown;
  }
}
