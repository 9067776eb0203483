import {
  type Alias,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  Parser,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { ConfigurationError } from '../tool-base/errors.ts';
import { withIndentedBrackets } from './indent-brackets.ts';

/** A template as plain data, with short forms (`!Ref x`) expanded (`{ Ref: 'x' }`) and line numbers. */
export interface TemplateSource {
  readonly file: string;
  readonly data: PlainMembers;
  /** The keys that a mapping has more than once, where they are set again. The last value counts. */
  readonly repeated: readonly RepeatedKey[];
  /** The line at this path, from 1, or of the nearest existing parent. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

interface RepeatedKey {
  readonly key: string;
  readonly line: number;
}

export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

export type PlainMembers = Readonly<Record<string, Plain>>;

/** Returns the value as a mapping; an empty one for any other value. */
export function plainMembersOf(plain: Plain | undefined): PlainMembers {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? (plain as PlainMembers) : {};
}

/** CloudFormation's own limit is 1 MB. */
const LONGEST_TEMPLATE = 10_000_000;
/** A limit, because aliases can expand a small file endlessly. */
const MOST_NODES = 1_000_000;
const DEEPEST = 200;

/** Parses YAML or JSON. Throws a `ConfigurationError` with file and line for anything but a template. */
export function parseTemplate({ file, text }: { file: string; text: string }): TemplateSource {
  if (text.length > LONGEST_TEMPLATE) throw refused(file, 'it is longer than 10 MB');
  const { document, lines } = parsed(file, text);
  const converter: Converter = { document, lines, left: MOST_NODES, aliases: new Map(), repeated: new Map() };
  const data = convert(converter, document.contents, 0, file);
  if (typeof data !== 'object' || data === null || Array.isArray(data) || !Object.hasOwn(data, 'Resources')) {
    throw refused(file, 'it has no `Resources`, so it is not a CloudFormation or SAM template');
  }
  const resources = (data as PlainMembers)['Resources'];
  if (typeof resources !== 'object' || resources === null || Array.isArray(resources)) {
    throw refused(file, 'its `Resources` are not a mapping of names to resources');
  }
  return {
    file,
    data: data as PlainMembers,
    repeated: [...converter.repeated.values()],
    lineOf: (path) => {
      const offset = offsetOf(document, path);
      return offset === undefined ? undefined : lines.linePos(offset).line;
    },
  };
}

/**
 * Returns whether the text is nested so deeply that composing it would overflow the stack. V8 ends the
 * process if it compiles a regular expression there.
 */
function isTooDeep(text: string): boolean {
  const rest: { readonly token: CST.Token | null | undefined; readonly depth: number }[] = [];
  for (const token of new Parser().parse(text)) rest.push({ token, depth: 0 });
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { token } = next;
    const depth = next.depth + 1;
    if (depth > DEEPEST + 2) return true; // the document is a level of its own
    if (token?.type === 'document') rest.push({ token: token.value, depth });
    if (token === null || token === undefined || !('items' in token)) continue;
    for (const { key, value } of token.items) rest.push({ token: key, depth }, { token: value, depth });
  }
  return false;
}

function tooDeep(file: string): ConfigurationError {
  return refused(file, `it is nested deeper than ${DEEPEST} levels`);
}

interface Parsed {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

function parsed(file: string, text: string): Parsed {
  const first = parsedYaml(file, text);
  const [error] = first.document.errors;
  if (error === undefined) return first;
  const second = error.code === 'BAD_INDENT' ? parsedYaml(file, withIndentedBrackets(text)) : first;
  if (second.document.errors.length === 0) return second;
  if (error.code === 'MULTIPLE_DOCS') {
    throw refused(file, `it has several documents, the second from line ${error.linePos?.[0].line} on`);
  }
  throw refused(file, firstLine(error.message));
}

function parsedYaml(file: string, text: string): Parsed {
  if (isTooDeep(text)) throw tooDeep(file);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      merge: true,
      logLevel: 'error',
      strict: false,
      uniqueKeys: false, // CloudFormation deploys a template that repeats a key
    });
    return { document, lines };
  } catch (error) {
    throw refused(file, error instanceof Error ? firstLine(error.message) : 'it cannot be read');
  }
}

function refused(file: string, why: string): ConfigurationError {
  return new ConfigurationError(`${file} cannot be read as a template: ${why}.`);
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/[.:]$/, '') ?? '';
}

interface Converter {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** By line, because aliases lead to a mapping several times. */
  readonly repeated: Map<number, RepeatedKey>;
  /** A cache, because resolving an alias walks the document. */
  readonly aliases: Map<Alias, Node | undefined>;
  left: number;
}

function convert(converter: Converter, node: Node | null | undefined, depth: number, file: string): Plain {
  converter.left -= 1;
  if (converter.left < 0) throw refused(file, 'its aliases make it too large');
  if (depth > DEEPEST) throw tooDeep(file);
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return convert(converter, resolved(converter, node), depth + 1, file);
  return withTag(node.tag, untagged(converter, node, depth, file));
}

function resolved({ document, aliases }: Converter, alias: Alias): Node | undefined {
  if (!aliases.has(alias)) aliases.set(alias, alias.resolve(document));
  return aliases.get(alias);
}

function untagged(converter: Converter, node: Node, depth: number, file: string): Plain {
  const next = (child: unknown): Plain => convert(converter, child as Node | null, depth + 1, file);
  if (isSeq(node)) return node.items.map(next);
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }): [string, Plain] => [keyText(key), next(value)]);
    noteRepeated(converter, node);
    const own = entries.filter(([name, plain]) => !isMerge(name, plain));
    // YAML 1.1 merge keys, as the SAM CLI and the AWS CLI support them. A mapping's own keys win wherever
    // they stand, then the first mapping of a list.
    const merged = entries.filter(([name, plain]) => isMerge(name, plain));
    const mappings = merged.flatMap(([, plain]) => plain as PlainMembers | readonly Plain[]);
    return Object.fromEntries([
      ...mappings.toReversed().flatMap((one) => Object.entries(plainMembersOf(one))),
      ...own,
    ]);
  }
  return scalarValue(node as Scalar);
}

/** Notes each key that a mapping has more than once. As in CloudFormation, the last value counts. */
function noteRepeated({ lines, repeated }: Converter, { items }: YAMLMap): void {
  const seen = new Set<string>();
  for (const { key: node } of items) {
    const key = keyText(node);
    if (seen.has(key) && key !== '<<') {
      const { line } = lines.linePos((node as ParsedNode | null)?.range?.[0] ?? 0);
      repeated.set(line, { key, line });
    }
    seen.add(key);
  }
}

function isMerge(name: string, plain: Plain): boolean {
  return name === '<<' && typeof plain === 'object' && plain !== null;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.source ?? key.value) : String(key);
}

/** CloudFormation keeps other numbers of YAML as texts, such as an account id that begins with 0. */
const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d+)?([eE][-+]?\d+)?$/;

const YES = /^(yes|Yes|YES|on|On|ON)$/;
const NO = /^(no|No|NO|off|Off|OFF)$/;

function scalarValue({ value, source = '', type, tag }: Scalar): Plain {
  // CloudFormation reads YAML 1.1: a variable `yes` is `true` in the function. `!Ref Yes` is a name.
  const isPlain = type === 'PLAIN' && tag === undefined;
  if (isPlain && (YES.test(source) || NO.test(source))) return YES.test(source);
  if (typeof value === 'number' && !NUMBER.test(source)) return source;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Expands a tag: `!Sub x` is `{ 'Fn::Sub': 'x' }`; only `Ref` and `Condition` have no `Fn::`. */
function withTag(tag: string | undefined, value: Plain): Plain {
  if (tag === undefined || !/^![A-Za-z]/.test(tag)) return value;
  const name = tag.slice(1);
  if (name === 'Ref' || name === 'Condition') return { [name]: value };
  if (name === 'GetAtt' && typeof value === 'string') {
    const [resource = '', ...attribute] = value.split('.');
    return { 'Fn::GetAtt': [resource, attribute.join('.')] };
  }
  return { [`Fn::${name}`]: value };
}

/** Returns the offset of the last existing step: a key in a mapping, a value in a list. */
function offsetOf(document: Document.Parsed, path: readonly (string | number)[]): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (!isCollection(node)) break;
    const found: unknown = node.items.findLast((item, index) =>
      isPair(item) ? keyText(item.key) === step : index === step,
    );
    if (found === undefined) break;
    const at = isPair(found) ? found.key : found;
    offset = (at as ParsedNode | null)?.range?.[0] ?? offset;
    node = isPair(found) ? found.value : found;
  }
  return offset;
}
