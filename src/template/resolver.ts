import type { Plain } from './parse-template.ts';
import { asBoolean, asList, asMembers, asText, Composite, Reference, Unknown, type Value } from './values.ts';

type PlainMembers = Readonly<Record<string, Plain>>;

/** Deeper than any condition of a condition; CloudFormation refuses cycles. */
const DEEPEST = 60;

/** What is known where a template is run rather than judged. */
export interface KnownHere {
  /** The values of pseudo parameters, such as `AWS::Region`. */
  readonly pseudoParameters?: Readonly<Record<string, string>>;
  /** The value of `Ref`, or of another attribute, of a resource; undefined leaves the reference as it is. */
  readonly lookUp?: (resource: string, attribute: string) => Value;
}

/**
 * Works out the functions of a template as far as they can be without deploying it: parameters by what is given or by their
 * defaults, pseudo parameters as a text such as `${AWS.Region}`, conditions and mappings. What depends on more is `Unknown`.
 */
export class Resolver {
  readonly #template: PlainMembers;
  readonly #given: Readonly<Record<string, string>>;
  readonly #known: KnownHere;
  #depth = 0;

  constructor(template: PlainMembers, parameters: Readonly<Record<string, string>>, known: KnownHere = {}) {
    this.#template = template;
    this.#given = parameters;
    this.#known = known;
  }

  resolve(plain: Plain | undefined): Value {
    if (plain === undefined || plain === null) return plain;
    if (this.#depth > DEEPEST) return new Unknown('it is nested too deeply');
    this.#depth += 1;
    try {
      return this.#resolve(plain);
    } finally {
      this.#depth -= 1;
    }
  }

  /** Whether a condition of the template holds; undefined where that cannot be told. */
  condition(name: string): boolean | undefined {
    const conditions = membersOf(this.#template['Conditions']);
    if (!Object.hasOwn(conditions, name)) return undefined;
    return asBoolean(this.resolve(conditions[name]));
  }

  #resolve(plain: Exclude<Plain, null>): Value {
    if (typeof plain === 'string') {
      return plain.includes('{{resolve:')
        ? new Unknown('it is looked up when it is deployed ({{resolve:…}})')
        : plain;
    }
    if (typeof plain !== 'object') return plain;
    if (Array.isArray(plain)) {
      return (plain as readonly Plain[]).map((one) => this.resolve(one)).filter((one) => one !== undefined);
    }
    const entries = Object.entries(plain);
    const [only] = entries;
    if (entries.length === 1 && only !== undefined) {
      const [name, argument] = only;
      if (name === 'Ref' || name === 'Condition' || name.startsWith('Fn::'))
        return this.#call(name, argument);
    }
    return Object.fromEntries(
      entries
        .map(([name, value]) => [name, this.resolve(value)] as const)
        .filter(([, value]) => value !== undefined),
    );
  }

  #call(name: string, argument: Plain): Value {
    switch (name) {
      case 'Ref':
        return this.#reference(typeof argument === 'string' ? argument : '');
      case 'Condition':
        return (
          this.condition(nameOf(argument)) ?? new Unknown(`the condition ${nameOf(argument)} cannot be told`)
        );
      case 'Fn::GetAtt':
        return this.#attribute(argument);
      case 'Fn::Sub':
        return this.#substitute(argument);
      case 'Fn::If':
        return this.#choose(argument);
      case 'Fn::FindInMap':
        return this.#lookUp(asList(this.resolve(argument)));
      case 'Fn::Join':
        return this.#join(asList(this.resolve(argument)));
      case 'Fn::Select':
        return select(asList(this.resolve(argument)));
      case 'Fn::Split':
        return split(asList(this.resolve(argument)));
      case 'Fn::Base64':
        return base64(this.resolve(argument));
      default:
        return logical(name, asList(this.resolve(argument)));
    }
  }

  #reference(name: string): Value {
    if (name === 'AWS::NoValue') return undefined;
    if (name.startsWith('AWS::')) {
      // Without colons, which separate the parts of an ARN.
      return this.#known.pseudoParameters?.[name] ?? `\${${name.replace('::', '.')}}`;
    }
    const parameters = membersOf(this.#template['Parameters']);
    if (Object.hasOwn(parameters, name)) return this.#parameter(name, membersOf(parameters[name]));
    return this.#known.lookUp?.(name, 'Ref') ?? new Reference(name, 'Ref');
  }

  #parameter(name: string, { Default: byDefault, Type: type }: PlainMembers): Value {
    const value = Object.hasOwn(this.#given, name) ? this.#given[name] : byDefault;
    if (value === undefined || value === null) return new Unknown(`the parameter ${name} has no default`);
    const typeName = nameOf(type);
    if (typeName.startsWith('AWS::SSM::Parameter::')) {
      return new Unknown(`the parameter ${name} is looked up in Parameter Store`);
    }
    const isList = typeName === 'CommaDelimitedList' || typeName.startsWith('List<');
    return isList && typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
  }

  #attribute(argument: Plain): Value {
    const path =
      typeof argument === 'string' ? argument.split('.') : asList(this.resolve(argument)).map(asText);
    const [resource = '', ...attribute] = path;
    const name = attribute.join('.');
    return this.#known.lookUp?.(resource, name) ?? new Reference(resource, name);
  }

  #substitute(argument: Plain): Value {
    const [text, own] = Array.isArray(argument) ? (argument as readonly Plain[]) : [argument];
    if (typeof text !== 'string') return new Unknown('its Fn::Sub has no text');
    const values = membersOf(own);
    const parts = text.split(/(\$\{[^}]*\})/).map((part): Value => {
      const name = /^\$\{([^}]*)\}$/.exec(part)?.[1]?.trim();
      if (name === undefined || name === '') return part;
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      if (Object.hasOwn(values, name)) return this.resolve(values[name]);
      return name.includes('.') ? this.#attribute(name) : this.#reference(name);
    });
    return composed(parts);
  }

  #choose(argument: Plain): Value {
    const [name, yes, no] = Array.isArray(argument) ? (argument as readonly Plain[]) : [];
    const holds = this.condition(nameOf(name));
    if (holds !== undefined) return this.resolve(holds ? yes : no);
    const [either, other] = [this.resolve(yes), this.resolve(no)];
    if (JSON.stringify(either) === JSON.stringify(other)) return either;
    return new Unknown(`the condition ${nameOf(name)} cannot be told`);
  }

  #lookUp([map, first, second]: readonly Value[]): Value {
    const [one, two, three] = [asText(map), asText(first), asText(second)];
    const mapping = membersOf(membersOf(membersOf(this.#template['Mappings'])[one ?? ''])[two ?? '']);
    const found = Object.hasOwn(mapping, three ?? '') ? mapping[three ?? ''] : undefined;
    return found === undefined
      ? new Unknown(`the mapping ${one ?? ''} cannot be looked up`)
      : this.resolve(found);
  }

  #join([separator, parts]: readonly Value[]): Value {
    if (parts instanceof Unknown) return parts;
    return composed(
      asList(parts).flatMap((part, index) => (index === 0 ? [part] : [asText(separator), part])),
    );
  }
}

function membersOf(plain: Plain | undefined): PlainMembers {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? (plain as PlainMembers) : {};
}

function nameOf(plain: Plain | undefined): string {
  return typeof plain === 'string' ? plain : '';
}

/** One text where all parts are known; the part itself where there is only one. */
function composed(values: readonly Value[]): Value {
  const parts = values.flatMap((value): (string | Reference | Unknown)[] => {
    if (value instanceof Composite) return [...value.parts];
    if (value instanceof Reference || value instanceof Unknown) return [value];
    const text = asText(value);
    return text === undefined ? [new Unknown('a part of it is no text')] : [text];
  });
  const filled = parts.filter((part) => part !== '');
  const [only] = filled;
  if (filled.length === 1 && only !== undefined) return only;
  return filled.every((part) => typeof part === 'string') ? filled.join('') : new Composite(filled);
}

function select([index, list]: readonly Value[]): Value {
  if (list instanceof Unknown) return list;
  const found = asList(list)[Number(asText(index))];
  return found === undefined ? new Unknown('its Fn::Select finds nothing') : found;
}

function split([separator, text]: readonly Value[]): Value {
  if (typeof separator !== 'string' || typeof text !== 'string')
    return new Unknown('its Fn::Split cannot be worked out');
  return text.split(separator);
}

function base64(value: Value): Value {
  if (value instanceof Unknown) return value;
  const text = asText(value);
  if (text === undefined) return new Unknown('its Fn::Base64 cannot be worked out');
  return Buffer.from(text, 'utf8').toString('base64');
}

/** The functions of conditions; any other is unknown. */
function logical(name: string, values: readonly Value[]): Value {
  const unknown = new Unknown(`${name} cannot be worked out`);
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
