import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Places } from '../../dev/places.ts';
import type { DevStack } from '../../dev/stack.ts';
import { readStack } from '../../dev/template/read-stack.ts';
import { UsageError } from '../cli-error.ts';
import { adviceForFile, adviceForFolder } from '../other-tools.ts';
import { unreadable } from '../unreadable.ts';

/** The options of `dev` and `invoke` that name the template, as in `sam local`. */
export interface StackOptions {
  readonly template?: string;
  readonly templateFile?: string;
  readonly parameterOverrides?: Readonly<Record<string, string>>;
  readonly envVars?: string;
}

export type Variables = Readonly<Record<string, Readonly<Record<string, string>>>>;

const DEFAULT_TEMPLATES = ['template.yaml', 'template.yml', 'template.json'];

/** Adds those options to a command. */
export function withStackOptions(command: Command): Command {
  return command
    .option(
      '-t, --template <file>',
      `template of SAM or CloudFormation (default: ${DEFAULT_TEMPLATES.join(', ')})`,
    )
    .addOption(new Option('--template-file <file>', 'another name of --template').hideHelp())
    .addOption(
      new Option('--parameter-overrides <values...>', "the template's parameters, as Name=value").argParser(
        parameterOverrides,
      ),
    )
    .option('-n, --env-vars <file>', 'JSON file with variables: {"Function": {…}, "Parameters": {…}}');
}

/** Reads the template that the options name. */
export async function stackOf(
  options: StackOptions,
  places: Places,
): Promise<{ readonly stack: DevStack; readonly file: string; readonly variables: Variables }> {
  const file = templateOf(options);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw unreadable(`The template ${file}`, error);
  });
  const variables = options.envVars === undefined ? {} : await readVariables(options.envVars);
  const stack = readStack(
    { file, text, parameters: options.parameterOverrides, environmentOverrides: variables },
    places,
  );
  return { stack, file, variables };
}

function templateOf({ template, templateFile }: StackOptions): string {
  const given = template ?? templateFile ?? DEFAULT_TEMPLATES.find((name) => existsSync(name));
  if (given === undefined) {
    const what = adviceForFolder('.')?.dev ?? 'Name the template with --template FILE.';
    throw new UsageError(`There is no template.yaml here. ${what}`);
  }
  const advice = adviceForFile(given)?.dev;
  if (advice !== undefined) throw new UsageError(advice);
  return path.resolve(given);
}

const OVERRIDE =
  /(?:ParameterKey=([A-Za-z0-9]+),ParameterValue=|([A-Za-z0-9]+)=)("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/gy;

/** Parses overrides as SAM does: `A=1 B=2` in one or more arguments, or `ParameterKey=A,ParameterValue=1`. */
function parameterOverrides(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const given: Record<string, string> = { ...before };
  const trimmed = text.trim();
  // A value with spaces, after the shell has removed its quotes.
  const single = /^([A-Za-z0-9]+)=([^=]*)$/s.exec(trimmed);
  if (single !== null) return { ...given, [single[1] ?? '']: unquoted(single[2] ?? '') };
  for (const part of trimmed.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)) {
    OVERRIDE.lastIndex = 0;
    const [, key, name = key, value] = OVERRIDE.exec(part[0]) ?? [];
    if (name === undefined || value === undefined) throw new InvalidArgumentError('Give Name=value.');
    given[name] = unquoted(value);
  }
  return given;
}

function unquoted(value: string): string {
  return /^"[^]*"$|^'[^]*'$/.test(value) ? value.slice(1, -1) : value;
}

async function readVariables(file: string): Promise<Variables> {
  const form = 'expected {"FunctionName": {"NAME": "value"}} or {"Parameters": {"NAME": "value"}}';
  let read: unknown;
  try {
    read = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw unreadable(`The file ${file} of --env-vars`, error as Error);
  }
  if (!isObject(read)) throw new UsageError(`The file ${file} of --env-vars: ${form}.`);
  return Object.fromEntries(
    Object.entries(read).map(([name, values]) => {
      if (!isObject(values)) throw new UsageError(`${name} in ${file}: ${form}.`);
      return [name, textsOf(values)];
    }),
  );
}

function textsOf(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
