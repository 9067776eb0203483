import { type Plain, type PlainMembers, plainMembersOf } from './parse-template.ts';
import { base64, composed, logical, select, split, toJsonText } from './functions.ts';
import { asBoolean, asList, asText, member, Reference, Unknown, type Value, whyUnknown } from './values.ts';

/** A limit that real conditions do not reach; cycles do. */
const DEEPEST = 60;

/** The values that are known when a template runs locally. */
export interface KnownHere {
  /** Pseudo parameters, such as `AWS::Region`. */
  readonly pseudoParameters?: Readonly<Record<string, string>>;
  /** Returns the value of `Ref` or of another attribute of a resource. */
  readonly lookUp?: (resource: string, attribute: string) => string;
  /** Returns the physical name of a resource. */
  readonly nameOf?: (resource: string) => string;
}

/**
 * An evaluator of intrinsic functions without a deployment. Parameters have their given values or defaults,
 * pseudo parameters are texts such as `${AWS.Region}`. What depends on the deployment is `Unknown`.
 */
export class Resolver {
  readonly #template: PlainMembers;
  readonly #given: Readonly<Record<string, string>>;
  readonly #known: KnownHere;
  /** The conditions so far. One that is being evaluated is unknown, which ends a cycle. */
  readonly #conditions = new Map<string, Value>();
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

  /** Returns the resource's name in the local run. */
  nameOf(resource: string): string | undefined {
    return this.#known.nameOf?.(resource);
  }

  /** Whether a condition holds; undefined if it is unknown. */
  condition(name: string): boolean | undefined {
    const conditions = plainMembersOf(this.#template['Conditions']);
    if (!Object.hasOwn(conditions, name)) return undefined;
    if (!this.#conditions.has(name)) {
      this.#conditions.set(name, undefined);
      this.#conditions.set(name, this.resolve(conditions[name]));
    }
    return asBoolean(this.#conditions.get(name));
  }

  /** Returns why a condition cannot be told, with the parameter that has no value, if it is for that. */
  #unknownBy(name: string): Unknown {
    const [parameter] = /the parameter .*$/.exec(whyUnknown(this.#conditions.get(name)) ?? '') ?? [];
    const why = parameter === undefined ? '' : `: ${parameter}`;
    return new Unknown(`the condition ${name} cannot be told${why}`);
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
        return this.condition(nameOf(argument)) ?? this.#unknownBy(nameOf(argument));
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
      case 'Fn::ToJsonString':
        return toJsonText(this.resolve(argument));
      case 'Fn::Base64':
        return base64(this.resolve(argument));
      default:
        return logical(name, asList(this.resolve(argument)));
    }
  }

  #reference(name: string): Value {
    if (name === 'AWS::NoValue') return undefined;
    if (name.startsWith('AWS::')) {
      // No colons, because they separate the parts of an ARN.
      return this.#known.pseudoParameters?.[name] ?? `\${${name.replace('::', '.')}}`;
    }
    const parameters = plainMembersOf(this.#template['Parameters']);
    if (Object.hasOwn(parameters, name)) return this.#parameter(name, plainMembersOf(parameters[name]));
    return this.#referTo(name, 'Ref');
  }

  #parameter(name: string, { Default: byDefault, Type: type }: PlainMembers): Value {
    const value = Object.hasOwn(this.#given, name) ? this.#given[name] : byDefault;
    if (value === undefined || value === null) return new Unknown(`the parameter ${name} has no default`);
    const typeName = nameOf(type);
    // A deployment gets the name of what Parameter Store has; a local run, its value.
    const isValue = this.#known.lookUp !== undefined && Object.hasOwn(this.#given, name);
    if (typeName.startsWith('AWS::SSM::Parameter::') && !isValue) {
      return new Unknown(`the parameter ${name} is looked up in Parameter Store`);
    }
    const isList = /^(AWS::SSM::Parameter::Value<)?(CommaDelimitedList|List<)/.test(typeName);
    return isList && typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
  }

  #attribute(argument: Plain): Value {
    const path =
      typeof argument === 'string' ? argument.split('.') : asList(this.resolve(argument)).map(asText);
    const [resource = '', ...attribute] = path;
    const name = attribute.join('.');
    return this.#referTo(resource, name);
  }

  #referTo(resource: string, attribute: string): Reference {
    return new Reference(resource, attribute, this.#known.lookUp?.(resource, attribute));
  }

  #substitute(argument: Plain): Value {
    const [text, own] = Array.isArray(argument) ? (argument as readonly Plain[]) : [argument];
    if (typeof text !== 'string') return new Unknown('its Fn::Sub has no text');
    const values = plainMembersOf(own);
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
    return this.#unknownBy(nameOf(name));
  }

  #lookUp([map, first, second, options]: readonly Value[]): Value {
    const [one, two, three] = [asText(map), asText(first), asText(second)];
    const mapping = plainMembersOf(
      plainMembersOf(plainMembersOf(this.#template['Mappings'])[one ?? ''])[two ?? ''],
    );
    const found = Object.hasOwn(mapping, three ?? '') ? mapping[three ?? ''] : undefined;
    if (found !== undefined) return this.resolve(found);
    // Of AWS::LanguageExtensions. A name that cannot be told may be in the mapping.
    const byDefault = /[<$]/.test(`${one}${two}${three}`) ? undefined : member(options, 'DefaultValue');
    return byDefault ?? new Unknown(`the mapping ${one ?? ''} cannot be looked up`);
  }

  #join([separator, parts]: readonly Value[]): Value {
    if (parts instanceof Unknown) return parts;
    return composed(
      asList(parts).flatMap((part, index) => (index === 0 ? [part] : [asText(separator), part])),
    );
  }
}

function nameOf(plain: Plain | undefined): string {
  return typeof plain === 'string' ? plain : '';
}
