/** A reference to a resource or an attribute of it: `!Ref Orders` has the attribute `Ref`. */
export class Reference {
  readonly resource: string;
  readonly attribute: string;
  /** The value, if the template runs locally. */
  readonly text: string | undefined;

  constructor(resource: string, attribute: string, text?: string) {
    this.resource = resource;
    this.attribute = attribute;
    this.text = text;
  }
}

/** A value that is not given or known only after the deployment. */
export class Unknown {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** A text with parts that are references or unknown. */
export class Composite {
  readonly parts: readonly (string | Reference | Unknown)[];

  constructor(parts: readonly (string | Reference | Unknown)[]) {
    this.parts = parts;
  }
}

/** A value of the template after its functions were evaluated as far as possible. */
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

/** Returns the value as a mapping; undefined for any other value. */
export function asMembers(value: Value): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (value instanceof Reference || value instanceof Composite || value instanceof Unknown) return undefined;
  return value as Members;
}

/** Returns an own member at a path; undefined if there is none. */
export function member(value: Value, ...path: readonly string[]): Value {
  let found = value;
  for (const step of path) {
    if (found instanceof Unknown) return found;
    const members = asMembers(found);
    found = members !== undefined && Object.hasOwn(members, step) ? members[step] : undefined;
  }
  return found;
}

/** Returns a list unchanged, a single value as a list of one, and nothing as an empty list. */
export function asList(value: Value): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly Value[]) : [value];
}

/** Returns a number, also from a text. */
export function asNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

/** Returns a boolean, also from the forms of YAML 1.1 and CloudFormation. */
export function asBoolean(value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(true|yes|on)$/i.test(value)) return true;
  return /^(false|no|off)$/i.test(value) ? false : undefined;
}

/** Returns the reason why a value or a part of it is unknown. */
export function whyUnknown(value: Value): string | undefined {
  if (value instanceof Unknown) return value.why;
  if (!(value instanceof Composite)) return undefined;
  return value.parts.find((part) => part instanceof Unknown)?.why;
}

/** Returns the text: `<Id>` or `<Id.Attribute>` for a reference without a value, `<?>` for unknown parts. */
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

/** Returns the text if all of it is known. */
export function knownText(value: Value): string | undefined {
  const parts = value instanceof Composite ? value.parts : [value];
  const isKnown = parts.every(
    (part) => !(part instanceof Unknown) && (!(part instanceof Reference) || part.text !== undefined),
  );
  return isKnown ? asText(value) : undefined;
}

/** Returns the ids of the resources that a value refers to. */
export function referencesOf(value: Value): readonly string[] {
  const parts = value instanceof Composite ? value.parts : [value];
  return [...new Set(parts.flatMap((part) => (part instanceof Reference ? [part.resource] : [])))];
}

/**
 * Returns the id that a value refers to, if there is exactly one. A text that goes on right before or after
 * the reference makes it another name: `${Orders.QueueName}-dead`.
 */
export function referenceOf(value: Value): string | undefined {
  const [only, ...others] = referencesOf(value);
  if (others.length > 0) return undefined;
  const parts = value instanceof Composite ? value.parts : [];
  const isOtherName = parts.some(
    (part, index) =>
      part instanceof Reference &&
      (/[\w.-]$/.test(asText(parts[index - 1]) ?? '') || /^[\w.-]/.test(asText(parts[index + 1]) ?? '')),
  );
  return isOtherName ? undefined : only;
}
