import { describe, expect, it } from '@jest/globals';
import ts from 'typescript-api';
import { exportsOf, type Modules, modulesOfEntries } from './program-of-modules.ts';

describe('Every export of an entry', () => {
  it('is documented, and so are its members', () => {
    expect(undocumented(modulesOfEntries())).toEqual([]);
  });
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

/** What has no TSDoc, as `file: name`. */
function undocumented(modules: Modules): string[] {
  const { checker, exported } = exportsOf(modules);
  const isDocumented = (symbol: ts.Symbol): boolean =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== '';
  return exported
    .flatMap(({ name, symbol, file }) => {
      const members = membersOf(symbol)
        .map((member) => checker.getSymbolAtLocation(member))
        .filter((member) => member !== undefined && !isDocumented(member))
        .map((member) => `${name}.${member?.name}`);
      return [...(isDocumented(symbol) ? [] : [name]), ...members].map((one) => `${file}: ${one}`);
    })
    .sort();
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
