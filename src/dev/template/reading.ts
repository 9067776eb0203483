import { ConfigurationError } from '../../tool-base/errors.ts';
import type { Places } from '../places.ts';
import {
  type Place,
  setting,
  type TemplateResource,
  type TemplateResources,
} from '../../template/resources.ts';
import { asBoolean, asMembers, asNumber, asText, type Value, whyUnknown } from '../../template/values.ts';
import type { StackNames } from './stack-names.ts';

/** What all parts of a template are read with. */
export interface Reading {
  readonly file: string;
  readonly places: Places;
  readonly resources: TemplateResources;
  /** The same, with references left as references: which resource a value names. */
  readonly unresolved: TemplateResources;
  readonly names: StackNames;
  /** The variables of a file as `sam local` takes it: by the id of a function, and those of all under `Parameters`. */
  readonly environmentOverrides: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Sentences for people: what does not run here. */
  readonly notes: Set<string>;
}

/** An error of the template, with its line. */
export function templateError({ file }: Reading, line: number | undefined, what: string): ConfigurationError {
  return new ConfigurationError(`${file}${line === undefined ? '' : `, line ${line}`}: ${what}.`);
}

/** A place whose values are read with errors that name it. */
export interface Source {
  readonly place: Place;
  /** Such as `OrdersFunction, event Orders`. */
  readonly name: string;
}

export function textOf(reading: Reading, source: Source, path: readonly string[]): string | undefined;
export function textOf(reading: Reading, source: Source, path: readonly string[], byDefault: string): string;
export function textOf(
  reading: Reading,
  source: Source,
  path: readonly string[],
  byDefault?: string,
): string | undefined {
  return read(reading, source, path, asText, 'a text') ?? byDefault;
}

export function numberOf(
  reading: Reading,
  source: Source,
  path: readonly string[],
  byDefault: number,
): number {
  return read(reading, source, path, asNumber, 'a number') ?? byDefault;
}

export function booleanOf(
  reading: Reading,
  source: Source,
  path: readonly string[],
  byDefault: boolean,
): boolean {
  return read(reading, source, path, asBoolean, 'true or false') ?? byDefault;
}

/** What CloudFormation needs: an error where it is not there. */
export function neededText(reading: Reading, source: Source, path: readonly string[]): string {
  const text = textOf(reading, source, path);
  if (text === undefined || text === '') {
    throw templateError(reading, source.place.line, `${source.name} has no \`${path.join('.')}\``);
  }
  return text;
}

function read<T>(
  reading: Reading,
  { place, name }: Source,
  path: readonly string[],
  as: (value: Value) => T | undefined,
  what: string,
): T | undefined {
  const { value, unknown, line } = setting(place, path, as);
  if (unknown === undefined) return value;
  const why = unknown === 'its value is not understood' ? `it must be ${what}` : unknown;
  const remedy = why.includes('parameter') ? '; give it with `--parameter-overrides`' : '';
  throw templateError(reading, line, `\`${path.join('.')}\` of ${name} cannot be used: ${why}${remedy}`);
}

/** The value as JSON, with nothing unknown in it; an error names the line. */
export function plainOf(
  reading: Reading,
  { place, name }: Source,
  path: readonly string[],
  value: Value,
): unknown {
  const why = whyUnknown(value);
  if (why !== undefined) {
    throw templateError(
      reading,
      place.lineOf(path),
      `\`${path.join('.')}\` of ${name} cannot be used: ${why}`,
    );
  }
  if (Array.isArray(value))
    return (value as readonly Value[]).map((one) => plainOf(reading, { place, name }, path, one));
  const members = asMembers(value);
  if (members === undefined) return value instanceof Object ? asText(value) : value;
  return Object.fromEntries(
    Object.entries(members).map(([member, one]) => [
      member,
      plainOf(reading, { place, name }, [...path, member], one),
    ]),
  );
}

/** The resource of one of these types that has this ARN on this machine. */
export function withArn(
  reading: Reading,
  arn: string,
  types: readonly string[],
): TemplateResource | undefined {
  return reading.resources.ofType(...types).find(({ id }) => reading.names.attribute(id, 'Arn') === arn);
}

export const QUEUE_TYPES: readonly string[] = ['AWS::SQS::Queue'];
export const TABLE_TYPES: readonly string[] = [
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Serverless::SimpleTable',
];
export const FUNCTION_TYPES: readonly string[] = ['AWS::Serverless::Function', 'AWS::Lambda::Function'];
