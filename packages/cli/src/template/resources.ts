import type { Resource } from './model.ts';
import { type Plain, type PlainMembers, plainMembersOf, type TemplateSource } from './parse-template.ts';
import type { Resolver } from './resolver.ts';
import type { Place } from './settings.ts';
import {
  asList,
  asMembers,
  asText,
  knownText,
  member,
  type Members,
  Reference,
  referenceOf,
  Unknown,
  type Value,
} from './values.ts';

export interface TemplateResource extends Resource, Place {
  readonly type: string;
  /** The value of `QueueName` and the like; undefined if CloudFormation generates the name. */
  readonly physicalName: string | undefined;
  /** The attributes beside the properties: `DeletionPolicy` and so on. */
  readonly attributes: Members;
  /** The condition that decides whether it exists, if that cannot be told. */
  readonly condition: string | undefined;
}

export const QUEUE_TYPES: readonly string[] = ['AWS::SQS::Queue'];
export const TABLE_TYPES: readonly string[] = [
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Serverless::SimpleTable',
];
export const STREAM_TYPES: readonly string[] = ['AWS::Kinesis::Stream'];
export const FUNCTION_TYPES: readonly string[] = ['AWS::Serverless::Function', 'AWS::Lambda::Function'];

const SAM_FUNCTION = 'AWS::Serverless::Function';
const ALIAS_TYPES = ['AWS::Lambda::Alias', 'AWS::Lambda::Version'];

/** The resources of a template. SAM functions include the `Globals`. */
export class TemplateResources {
  readonly all: readonly TemplateResource[];
  /** Messages about resources that cannot be read. */
  readonly skipped: string[] = [];
  /** SAM's `Globals`, by kind of resource. Those of functions are in the functions. */
  readonly globals: Members;
  readonly #byId: ReadonlyMap<string, TemplateResource>;

  constructor(source: TemplateSource, resolver: Resolver) {
    const template = source.data;
    const globals = plainMembersOf(plainMembersOf(template['Globals'])['Function']);
    this.globals = asMembers(resolver.resolve(template['Globals'])) ?? {};
    const resources = plainMembersOf(template['Resources']);
    this.all = Object.entries(resources).flatMap(([id, plain]) => {
      const resource = this.#read(id, plainMembersOf(plain), { source, resolver, globals });
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

  /** Finds the resource that a value refers to, or whose physical name is in its ARN, URL or name. */
  find(value: Value, types: readonly string[]): TemplateResource | undefined {
    const referred = this.byId(referenceOf(value) ?? writtenReference(value));
    if (referred !== undefined) return types.includes(referred.type) ? referred : undefined;
    const text = knownText(value);
    if (text === undefined) return undefined;
    const segments = new Set(text.split(/[:/]/));
    return this.ofType(...types).find(
      ({ physicalName }) => physicalName !== undefined && segments.has(physicalName),
    );
  }

  /** Finds the function that a value names, directly or by an alias or version. */
  findFunction(value: Value): TemplateResource | undefined {
    const madeBySam = /^([^.]+)\.(?:Alias|Version)$/.exec(referenceOf(value) ?? '')?.[1];
    const named = madeBySam === undefined ? value : new Reference(madeBySam, 'Ref');
    const found = this.find(named, [...FUNCTION_TYPES, ...ALIAS_TYPES]);
    if (found === undefined || FUNCTION_TYPES.includes(found.type)) return found;
    return this.find(found.value['FunctionName'], FUNCTION_TYPES);
  }

  #read(
    id: string,
    plain: PlainMembers,
    template: { source: TemplateSource; resolver: Resolver; globals: PlainMembers },
  ): TemplateResource | undefined {
    const { source, resolver } = template;
    const type = plain['Type'];
    if (typeof type !== 'string') {
      this.skipped.push(`${id}: it has no \`Type\`, or is made by a macro, which is not expanded here`);
      return undefined;
    }
    const condition = typeof plain['Condition'] === 'string' ? plain['Condition'] : undefined;
    const exists = condition === undefined || resolver.condition(condition);
    if (exists === false) return undefined;
    const own = plainMembersOf(plain['Properties']);
    const isSam = type === SAM_FUNCTION;
    const globals = notIgnored(template.globals, plain['IgnoreGlobals']);
    const value = asMembers(resolver.resolve(isSam ? merged(globals, own) : own)) ?? {};
    const metadata = asMembers(resolver.resolve(plainMembersOf(plain['Metadata']))) ?? {};
    const { Properties: _properties, Metadata: _metadata, ...rest } = plain;
    return {
      id,
      name: nameOf(id, metadata),
      type,
      physicalName: resolver.nameOf(id) ?? physicalName(value),
      value,
      // A macro may add any property.
      unknown: Object.hasOwn(own, 'Fn::Transform') ? new Unknown('Fn::Transform may set it') : undefined,
      condition: exists === undefined ? condition : undefined,
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

/** Returns the id in `<Id.Arn>`, the form of a reference within a JSON text. */
function writtenReference(value: Value): string | undefined {
  return typeof value === 'string' ? /^<([A-Za-z0-9]+)(?:\.[^<>]*)?>$/.exec(value)?.[1] : undefined;
}

function physicalName(value: Members): string | undefined {
  const properties = [
    'QueueName',
    'TableName',
    'FunctionName',
    'RoleName',
    'ManagedPolicyName',
    'BucketName',
  ];
  const names = properties.map((one) => value[one]);
  return names.find((name) => typeof name === 'string');
}

/** Adds the construct path to ids of the CDK, which end in a hash. */
function nameOf(id: string, metadata: Members): string {
  const path = metadata['aws:cdk:path'];
  return typeof path === 'string' ? `${id} (${path.replace(/\/Resource$/, '')})` : id;
}

/** Returns the globals without those that a resource ignores: a list of names, or `*` for all. */
function notIgnored(globals: PlainMembers, ignored: Plain | undefined): PlainMembers {
  if (ignored === '*') return {};
  const names = new Set(Array.isArray(ignored) ? (ignored as readonly Plain[]) : []);
  return Object.fromEntries(Object.entries(globals).filter(([name]) => !names.has(name)));
}

/** Merges globals as SAM does: mappings by member, lists by concatenation, else the function's own value. */
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
