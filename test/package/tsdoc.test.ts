import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript-api'; // TypeScript 7 has no API for programs yet

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('Every export of an entry', () => {
  it('is documented, and so are its members', () => {
    expect(undocumented(sourcesOfEntries())).toEqual([]);
  }, 60_000);
});

describe('The check sees', () => {
  it.each([
    ['a function', 'export function run(): void {}', ['run']],
    ['a type', 'export type Run = () => void;', ['Run']],
    ['a member of an interface', '/** Runs. */ export interface Run { readonly id: string }', ['Run.id']],
    [
      'a member of a class',
      '/** Runs. */ export class Run { readonly id = 1; #own = 1; private mine = 1; constructor() {} }',
      ['Run.id'],
    ],
    ['a member of a literal type', '/** Runs. */ export type Run = { readonly id: string };', ['Run.id']],
    ['an empty comment', '/** */ export const run = 1;', ['run']],
  ])('%s without documentation', (_what, source, found) => {
    expect(undocumented({ 'entry.ts': source })).toEqual(found.map((name) => `entry.ts: ${name}`));
  });

  it.each([
    ['what is documented', '/** Runs. */ export interface Run {\n /** Its name. */\n readonly id: string }'],
    ['a member that tells the types of a union apart', "/** Runs. */ export interface A { kind: 'a' }"],
    ['the arms of a union', "/** Runs. */ export type Run = { kind: 'a'; n: 1 } | { kind: 'b' };"],
    ['an overridden member', '/** Fails. */ export class Failed extends Error { override name = "x" }'],
    ['what is not exported', 'interface Run { readonly id: string }\n/** All. */ export const run = 1;'],
  ])('no harm in %s', (_what, source) => {
    expect(undocumented({ 'entry.ts': source })).toEqual([]);
  });
});

/** The entries' files of `src`; the text is read from the disk. */
function sourcesOfEntries(): Record<string, undefined> {
  const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { import: { default: string } }>;
  };
  const compiled = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.import.default],
  );
  return Object.fromEntries(
    compiled.map((file) => [file.replace('./dist/esm/', 'src/').replace(/\.js$/, '.ts'), undefined]),
  );
}

/** What has no TSDoc, as `file: name`, of modules by their paths. */
function undocumented(modules: Readonly<Record<string, string | undefined>>): string[] {
  const program = programOf(modules);
  const checker = program.getTypeChecker();
  const isDocumented = (symbol: ts.Symbol): boolean =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== '';

  const found = Object.keys(modules).flatMap((file) => {
    const source = program.getSourceFile(path.join(ROOT, file));
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol =
        (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : checker.getAliasedSymbol(exported);
      const [declaration] = symbol.declarations ?? [];
      if (declaration === undefined) throw new Error(`${file} exports ${exported.name}, which is nowhere`);
      const where = path.relative(ROOT, declaration.getSourceFile().fileName);
      const names = membersOf(symbol)
        .map((member) => checker.getSymbolAtLocation(member))
        .filter((member) => member !== undefined && !isDocumented(member))
        .map((member) => `${exported.name}.${member?.name}`);
      return [...(isDocumented(symbol) ? [] : [exported.name]), ...names].map((name) => `${where}: ${name}`);
    });
  });
  return [...new Set(found)].sort();
}

/** The names of members that a reader of the type looks up. */
function membersOf(symbol: ts.Symbol): ts.Node[] {
  return (symbol.declarations ?? []).flatMap((declaration) => {
    const type = ts.isTypeAliasDeclaration(declaration) ? declaration.type : declaration;
    if (!ts.isInterfaceDeclaration(type) && !ts.isClassDeclaration(type) && !ts.isTypeLiteralNode(type))
      return [];
    const members: readonly (ts.ClassElement | ts.TypeElement)[] = type.members;
    return members.flatMap((member) => {
      const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Override;
      if (member.name === undefined || ts.isPrivateIdentifier(member.name)) return [];
      if ((ts.getCombinedModifierFlags(member) & hidden) !== 0 || tellsApart(member)) return [];
      return [member.name];
    });
  });
}

/** `kind: 'decoder'` says all there is to say. */
function tellsApart(member: ts.Node): boolean {
  if (!ts.isPropertySignature(member) || member.type === undefined) return false;
  return ts.isLiteralTypeNode(member.type) && ts.isStringLiteral(member.type.literal);
}

/** Of the disk; the libraries' declarations are read once for all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function programOf(modules: Readonly<Record<string, string | undefined>>): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    noLib: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile } = host;
  host.getSourceFile = (name, languageVersion, ...rest) => {
    const given = modules[path.relative(ROOT, name)];
    if (given !== undefined) return ts.createSourceFile(name, given, languageVersion, true);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, languageVersion, ...rest));
    return parsed.get(name);
  };
  const cache = ts.createModuleResolutionCache(ROOT, (name) => name, options);
  // Packages are not read: what they declare is documented by them, and would take most of the time.
  host.resolveModuleNameLiterals = (literals, file, redirected, compilerOptions, source) =>
    literals.map((literal) => {
      if (!literal.text.startsWith('.')) return { resolvedModule: undefined };
      const mode = ts.getModeForUsageLocation(source, literal, compilerOptions);
      return ts.resolveModuleName(literal.text, file, compilerOptions, host, cache, redirected, mode);
    });
  const files = Object.keys(modules).map((file) => path.join(ROOT, file));
  return ts.createProgram(files, options, host);
}
