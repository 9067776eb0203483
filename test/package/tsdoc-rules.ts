import ts from 'typescript-api';
import { exportsOf, type Exported, type Modules } from './program-of-modules.ts';

/** A type whose members are what a caller may leave out. */
const OPTIONS = /(Options|Props)$/;

/** Says what holds where the member is left out. */
const SAYS_DEFAULT = /\bdefaults?\b/i;

/** Names of lengths and points of time. */
const OF_TIME =
  /timeout|delay|duration|interval|(?<!re)lease|retention|linger|margin|period|every|(?:max|min)?age$|(?:Until|(?<!form)At)$|^(?:ms|now)$/i;
const UNIT_IN_NAME = /(?:Ms|Seconds|Minutes|Hours|Days)$/;
const UNIT_IN_TEXT = /\b(?:milliseconds?|ms|seconds?|minutes?|hours?|days?|epoch)\b/i;

/** Names of errors that are not this package's. */
const FOREIGN_ERRORS = new Set(['Error', 'RangeError', 'TypeError', 'AggregateError', 'NonError']);
/** Variables of the environment that look like codes. */
const VARIABLES = new Set(['BATCHLATCH_LOG_LEVEL']);

/** What the TSDoc of exports leaves out or gets wrong, as `file: name: what`. `codes`: those that `docs/errors.md` has. */
export function mistakesIn(modules: Modules, codes: ReadonlySet<string>): string[] {
  const { checker, exported } = exportsOf(modules);
  const errors = new Set(exported.map(({ name }) => name).filter((name) => name.endsWith('Error')));
  return exported
    .flatMap((one) => {
      const members = membersOf(one.symbol, checker);
      return [
        ...(OPTIONS.test(one.name) ? members.flatMap((member) => withoutDefault(member, checker)) : []),
        ...members.flatMap((member) => withoutUnit(member, checker)),
        ...[one.symbol, ...members].flatMap((symbol) => unknownErrors(symbol, checker, errors, codes)),
        ...withoutCode(one, checker, codes),
        ...withoutThrows(one, checker),
      ].map((mistake) => `${one.file}: ${one.name}${mistake}`);
    })
    .sort();
}

/** Also those that an interface has of another one. */
function membersOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol[] {
  const isType =
    (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class)) !== 0;
  if (!isType) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const types = type.isUnion() ? type.types : [type];
  return [...new Set(types.flatMap((one) => checker.getPropertiesOfType(one)))].filter((member) =>
    member.declarations?.some(isWritten),
  );
}

function isWritten(declaration: ts.Declaration): boolean {
  return (
    ts.isPropertySignature(declaration) ||
    ts.isMethodSignature(declaration) ||
    ts.isPropertyDeclaration(declaration)
  );
}

function withoutDefault(member: ts.Symbol, checker: ts.TypeChecker): string[] {
  if ((member.flags & ts.SymbolFlags.Optional) === 0) return [];
  // What never holds a value, what stops a call, and what is called, is by its nature not there where it is not given.
  const isMarker = /^(?:signal|on[A-Z]\w*)$/.test(member.name);
  return isMarker || SAYS_DEFAULT.test(textOf(member, checker)) ? [] : [`.${member.name}: no default`];
}

function withoutUnit(member: ts.Symbol, checker: ts.TypeChecker): string[] {
  const declared = member.declarations?.find(ts.isPropertySignature)?.type?.getText() ?? '';
  if (!/\bnumber\b/.test(declared) || !OF_TIME.test(member.name) || UNIT_IN_NAME.test(member.name)) return [];
  return UNIT_IN_TEXT.test(textOf(member, checker)) ? [] : [`.${member.name}: no unit`];
}

/** Errors that the text names, by class or by code, and that are nowhere. */
function unknownErrors(
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
  errors: ReadonlySet<string>,
  codes: ReadonlySet<string>,
): string[] {
  const text = textOf(symbol, checker);
  const named = [...text.matchAll(/`([A-Z]\w*Error)`/g)].map(([, name = '']) => name);
  const coded = [...text.matchAll(/\bBATCHLATCH_[A-Z]+(?:_[A-Z]+)*\b/g)].map(([code]) => code);
  return [
    ...named.filter((name) => !errors.has(name) && !FOREIGN_ERRORS.has(name)),
    ...coded.filter((code) => !codes.has(code) && !VARIABLES.has(code)),
  ].map((unknown) => `: ${unknown} is nowhere`);
}

/** An error class says which code it has. */
function withoutCode(
  { name, symbol }: Exported,
  checker: ts.TypeChecker,
  codes: ReadonlySet<string>,
): string[] {
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined || !ts.isClassDeclaration(declaration) || !name.endsWith('Error')) return [];
  const base = declaration.heritageClauses?.[0]?.types[0]?.getText();
  if (base !== 'BatchlatchError') return [];
  const text = textOf(symbol, checker);
  const [, given] = /super\(\s*'(BATCHLATCH_\w+)'/.exec(declaration.getText()) ?? [];
  const isSaid =
    given === undefined ? [...codes].some((code) => text.includes(`\`${code}\``)) : text.includes(given);
  return isSaid ? [] : [': no code'];
}

/** A function that checks options says what a wrong one is. */
function withoutThrows({ symbol }: Exported, checker: ts.TypeChecker): string[] {
  const takesOptions = (symbol.declarations ?? []).some(
    (declaration) =>
      ts.isFunctionDeclaration(declaration) &&
      /checkOptionsOf\(|createIdempotent\(|\bidempotentHttp/.test(declaration.body?.getText() ?? ''),
  );
  return takesOptions && !textOf(symbol, checker).includes('ConfigurationError')
    ? [': no ConfigurationError']
    : [];
}

/** Text and tags. */
function textOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const tags = symbol.getJsDocTags(checker).map(({ text }) => ts.displayPartsToString(text));
  return [ts.displayPartsToString(symbol.getDocumentationComment(checker)), ...tags].join('\n');
}
