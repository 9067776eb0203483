import { ConfigurationError } from '../../tool-base/errors.ts';
import type { Resource, Setting } from '../../template/model.ts';
import type { TemplateModel } from '../../template/template-model.ts';
import type { Places } from '../places.ts';
import type { StackNames } from './stack-names.ts';

/** What a stack is made of. */
export interface Reading {
  readonly file: string;
  readonly places: Places;
  readonly model: TemplateModel;
  readonly names: StackNames;
  /**
   * The variables of a file as `sam local` takes it: by the id of a function, and those of all under
   * `Parameters`.
   */
  readonly environmentOverrides: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Sentences for people: what does not run here. */
  readonly notes: Set<string>;
}

/** An error of the template, with its line. */
export function templateError({ file }: Reading, line: number | undefined, what: string): ConfigurationError {
  return new ConfigurationError(`${file}${line === undefined ? '' : `, line ${line}`}: ${what}.`);
}

/** The value of a setting; undefined where nothing is set. Throws if it is not known. */
export function valueOf<T>(
  reading: Reading,
  { name }: Pick<Resource, 'name'>,
  setting: Setting<T>,
): T | undefined {
  const { value, unknown, property = '', line } = setting;
  if (unknown === undefined) return value;
  const remedy = unknown.includes('parameter') ? '; give it with `--parameter-overrides`' : '';
  throw templateError(reading, line, `\`${property}\` of ${name} cannot be used: ${unknown}${remedy}`);
}

/** The value of a setting that CloudFormation needs. Throws where nothing is set. */
export function neededOf<T>(reading: Reading, resource: Pick<Resource, 'name'>, setting: Setting<T>): T {
  const value = valueOf(reading, resource, setting);
  if (value !== undefined && value !== '') return value;
  throw templateError(reading, setting.line, `${resource.name} has no \`${setting.property ?? ''}\``);
}
