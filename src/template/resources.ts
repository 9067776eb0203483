import type { Resource, Setting } from './facts.ts';
import type { Plain, TemplateSource } from './parse-template.ts';
import type { Resolver } from './resolver.ts';
import {
  asList,
  asMembers,
  asText,
  member,
  type Members,
  referenceOf,
  type Value,
  whyUnknown,
} from './values.ts';

/** Properties, and where they are in the file. */
export interface Place {
  readonly value: Members;
  readonly line?: number | undefined;
  lineOf(path: readonly string[]): number | undefined;
}

export interface TemplateResource extends Resource, Place {
  readonly type: string;
  /** What is beside the properties: `DeletionPolicy` and so on. */
  readonly attributes: Members;
}

type PlainMembers = Readonly<Record<string, Plain>>;

const SAM_FUNCTION = 'AWS::Serverless::Function';

/** What is set at a path; `byDefault` where nothing is. */
export function setting<T>(
  place: Place,
  path: readonly string[],
  as: (value: Value) => T | undefined,
  byDefault?: T,
): Setting<T> {
  const value = member(place.value, ...path);
  if (value === undefined || value === null) return { value: byDefault, line: place.line };
  const line = place.lineOf(path);
  const why = whyUnknown(value);
  if (why !== undefined) return { unknown: why, line };
  const known = as(value);
  return known === undefined ? { unknown: 'its value is not understood', line } : { value: known, line };
}

/** A part of a place, such as one event of a function; what is not set in it is reported at `at`. */
export function placeIn(place: Place, path: readonly string[], at: readonly string[] = path): Place {
  return {
    value: asMembers(member(place.value, ...path)) ?? {},
    line: place.lineOf(at),
    lineOf: (further) => place.lineOf([...path, ...further]),
  };
}

/** The resources of a template, with SAM's `Globals` in its functions. */
export class TemplateResources {
  readonly all: readonly TemplateResource[];
  /** What could not be read. */
  readonly skipped: string[] = [];
  readonly #byId: ReadonlyMap<string, TemplateResource>;

  constructor(source: TemplateSource, resolver: Resolver) {
    const template = source.data as PlainMembers;
    const globals = membersOf(membersOf(template['Globals'])['Function']);
    const resources = membersOf(template['Resources']);
    this.all = Object.entries(resources).flatMap(([id, plain]) => {
      const resource = this.#read(id, membersOf(plain), { source, resolver, globals });
      return resource === undefined ? [] : [resource];
    });
    this.#byId = new Map(this.all.map((resource) => [resource.id, resource]));
  }

  ofType(...types: readonly string[]): readonly TemplateResource[] {
    return this.all.filter(({ type }) => types.includes(type));
  }

  byId(id: string | undefined): TemplateResource | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /**
   * The resource of one of these types that a value names: by a reference, or by the physical name in its ARN, URL or name.
   */
  find(value: Value, types: readonly string[]): TemplateResource | undefined {
    const referred = this.byId(referenceOf(value) ?? writtenReference(value));
    if (referred !== undefined) return types.includes(referred.type) ? referred : undefined;
    if (typeof value !== 'string') return undefined;
    const segments = new Set(value.split(/[:/]/));
    return this.ofType(...types).find((resource) => {
      const name = physicalName(resource);
      return name !== undefined && segments.has(name);
    });
  }

  #read(
    id: string,
    plain: PlainMembers,
    { source, resolver, globals }: { source: TemplateSource; resolver: Resolver; globals: PlainMembers },
  ): TemplateResource | undefined {
    const type = plain['Type'];
    if (typeof type !== 'string') {
      this.skipped.push(`${id}: it has no \`Type\`, or is made by a macro, which is not expanded here`);
      return undefined;
    }
    const condition = plain['Condition'];
    if (typeof condition === 'string' && resolver.condition(condition) === false) return undefined;
    const own = membersOf(plain['Properties']);
    const isSam = type === SAM_FUNCTION;
    const value = asMembers(resolver.resolve(isSam ? merged(globals, own) : own)) ?? {};
    const metadata = asMembers(resolver.resolve(membersOf(plain['Metadata']))) ?? {};
    const { Properties: _properties, Metadata: _metadata, ...rest } = plain;
    return {
      id,
      name: nameOf(id, metadata),
      type,
      value,
      attributes: { ...asMembers(resolver.resolve(rest)), Metadata: metadata },
      ignore: new Set(asList(member(metadata, 'batchlatch', 'ignore')).map((code) => asText(code) ?? '')),
      line: source.lineOf(['Resources', id]),
      lineOf: (path) => {
        const [first = ''] = path;
        const isGlobal = isSam && !Object.hasOwn(own, first) && Object.hasOwn(globals, first);
        return source.lineOf(
          isGlobal ? ['Globals', 'Function', ...path] : ['Resources', id, 'Properties', ...path],
        );
      },
    };
  }
}

/** `<Id.Arn>`, which is what a reference is within a text of JSON. */
function writtenReference(value: Value): string | undefined {
  return typeof value === 'string' ? /^<([A-Za-z0-9]+)(?:\.[^<>]*)?>$/.exec(value)?.[1] : undefined;
}

/** Such as `QueueName`; undefined where CloudFormation makes the name up. */
export function physicalName({ value }: Place): string | undefined {
  for (const property of ['QueueName', 'TableName', 'FunctionName', 'RoleName', 'BucketName']) {
    const name = value[property];
    if (typeof name === 'string') return name;
  }
  return undefined;
}

/** CDK's ids have a hash at their end; its path says where they come from. */
function nameOf(id: string, metadata: Members): string {
  const path = metadata['aws:cdk:path'];
  return typeof path === 'string' ? `${id} (${path.replace(/\/Resource$/, '')})` : id;
}

function membersOf(plain: Plain | undefined): PlainMembers {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? (plain as PlainMembers) : {};
}

/** As SAM merges its globals: mappings member by member, lists one after the other, anything else by the function's own. */
function merged(globals: PlainMembers, own: PlainMembers): PlainMembers {
  const both = Object.keys(globals).filter((name) => Object.hasOwn(own, name));
  return {
    ...globals,
    ...own,
    ...Object.fromEntries(both.map((name) => [name, mergedValue(globals[name], own[name])])),
  };
}

function mergedValue(left: Plain | undefined, right: Plain | undefined): Plain {
  if (Array.isArray(left) && Array.isArray(right))
    return [...(left as readonly Plain[]), ...(right as readonly Plain[])];
  if (isPlainMapping(left) && isPlainMapping(right)) return merged(left, right);
  return right ?? null;
}

function isPlainMapping(plain: Plain | undefined): plain is PlainMembers {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return false;
  return !Object.keys(plain).some((name) => name === 'Ref' || name.startsWith('Fn::'));
}
