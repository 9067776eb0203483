/** A resource of the template, or an attribute of it: `!Ref Orders` has the attribute `Ref`. */
export class Reference {
  readonly resource: string;
  readonly attribute: string;
  /** Its value, where the template is run rather than judged. */
  readonly text: string | undefined;

  constructor(resource: string, attribute: string, text?: string) {
    this.resource = resource;
    this.attribute = attribute;
    this.text = text;
  }
}

/** What cannot be known before it is deployed, or was not given. */
export class Unknown {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** A text of which parts are references or unknown. */
export class Composite {
  readonly parts: readonly (string | Reference | Unknown)[];

  constructor(parts: readonly (string | Reference | Unknown)[]) {
    this.parts = parts;
  }
}

/** A value of the template, with its functions worked out as far as they can be. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Value[]
  | { readonly [name: string]: Value }
  | Reference
  | Composite
  | Unknown;

export type Members = Readonly<Record<string, Value>>;

/** The value as a mapping; undefined for anything else. */
export function asMembers(value: Value): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (value instanceof Reference || value instanceof Composite || value instanceof Unknown) return undefined;
  return value as Members;
}

/** The member, its own one only; undefined where there is none. */
export function member(value: Value, ...path: readonly string[]): Value {
  let found = value;
  for (const step of path) {
    if (found instanceof Unknown) return found;
    const members = asMembers(found);
    found = members !== undefined && Object.hasOwn(members, step) ? members[step] : undefined;
  }
  return found;
}

/** A list as it is, one value as a list of it, nothing as an empty list. */
export function asList(value: Value): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly Value[]) : [value];
}

/** A number, also one that is written as a text. */
export function asNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

/** A boolean, also as YAML 1.1 and CloudFormation allow it to be written. */
export function asBoolean(value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(true|yes|on)$/i.test(value)) return true;
  return /^(false|no|off)$/i.test(value) ? false : undefined;
}

/** Why a value, or a part of it, is unknown; undefined where it is known. */
export function whyUnknown(value: Value): string | undefined {
  if (value instanceof Unknown) return value.why;
  if (!(value instanceof Composite)) return undefined;
  return value.parts.find((part) => part instanceof Unknown)?.why;
}

/**
 * The text, in which `<Id>` and `<Id.Attribute>` stand for references without a text, and `<?>` for what is
 * unknown.
 */
export function asText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Reference) return value.text ?? placeholder(value);
  if (value instanceof Unknown) return '<?>';
  if (value instanceof Composite) return value.parts.map((part) => asText(part) ?? '').join('');
  return undefined;
}

function placeholder({ resource, attribute }: Reference): string {
  return attribute === 'Ref' ? `<${resource}>` : `<${resource}.${attribute}>`;
}

/** The text, if all of it is known. */
export function knownText(value: Value): string | undefined {
  const parts = value instanceof Composite ? value.parts : [value];
  const isKnown = parts.every(
    (part) => !(part instanceof Unknown) && (!(part instanceof Reference) || part.text !== undefined),
  );
  return isKnown ? asText(value) : undefined;
}

/** The resources that a value names. */
export function referencesOf(value: Value): readonly string[] {
  const parts = value instanceof Composite ? value.parts : [value];
  return [...new Set(parts.flatMap((part) => (part instanceof Reference ? [part.resource] : [])))];
}

/** The one resource that a value names: a reference, or a text around one. */
export function referenceOf(value: Value): string | undefined {
  const [only, ...others] = referencesOf(value);
  return others.length === 0 ? only : undefined;
}
