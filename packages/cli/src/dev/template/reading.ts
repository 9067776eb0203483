import { ConfigurationError } from '../../tool-base/errors.ts';
import type { Resource, Setting } from '../../template/model.ts';
import type { TemplateModel } from '../../template/template-model.ts';
import type { Places } from '../places.ts';
import type { StackNames } from './stack-names.ts';

/** The inputs of reading a stack, and its notes. */
export interface Reading {
  readonly file: string;
  readonly places: Places;
  readonly model: TemplateModel;
  readonly names: StackNames;
  /** Variables as in `sam local --env-vars`: by function, or under `Parameters` for all. */
  readonly environmentOverrides: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Sentences for a person about parts that do not run here. */
  readonly notes: Set<string>;
  /** The notes about the code and the variables of each function. */
  readonly functionNotes: Map<string, ReadonlySet<string>>;
}

/** Returns an error with the file and line of the template. */
export function templateError({ file }: Reading, line: number | undefined, what: string): ConfigurationError {
  return new ConfigurationError(`${file}${line === undefined ? '' : `, line ${line}`}: ${what}.`);
}

/** Returns the value of a setting; undefined if it is not set. Throws if it is unknown. */
export function valueOf<T>(
  reading: Reading,
  { name }: Pick<Resource, 'name'>,
  setting: Setting<T>,
): T | undefined {
  const { value, unknown, property = '', line } = setting;
  if (unknown === undefined) return value;
  throw templateError(reading, line, `\`${property}\` of ${name} cannot be used: ${withRemedy(unknown)}`);
}

/** Returns why an address cannot be told; undefined if it can, or if it is not a text. */
export function whyNotTold({ unknown, isInvalid }: Setting<string>): string | undefined {
  return unknown === undefined || isInvalid === true ? undefined : withRemedy(unknown);
}

function withRemedy(unknown: string): string {
  return `${unknown}${unknown.includes('parameter') ? '; give it with `--parameter-overrides`' : ''}`;
}

/** Returns the value of a required setting. Throws if it is not set. */
export function neededOf<T>(reading: Reading, resource: Pick<Resource, 'name'>, setting: Setting<T>): T {
  const value = valueOf(reading, resource, setting);
  if (value !== undefined && value !== '') return value;
  throw templateError(reading, setting.line, `${resource.name} has no \`${setting.property ?? ''}\``);
}

/** Returns a whole number; undefined if it is not set. Throws if it is not within AWS's limits. */
export function wholeOf(
  reading: Reading,
  resource: Pick<Resource, 'name'>,
  setting: Setting<number>,
  [least, most]: readonly [number, number],
): number | undefined {
  const value = valueOf(reading, resource, setting);
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return value;
  const what = `must be a whole number from ${least} to ${most}`;
  throw templateError(reading, setting.line, `\`${setting.property ?? ''}\` of ${resource.name} ${what}`);
}
