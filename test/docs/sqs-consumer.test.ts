import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript-api';
import { PAGES } from './pages.ts';

const page = PAGES.get('docs/migrating-from-sqs-consumer.md') ?? '';
/** The words of the first cell of every row below a heading. */
const rowsBelow = (heading: string): string[] => {
  const section = new RegExp(`^## ${heading}\\n(.*?)(?=^## )`, 'ms').exec(page)?.[1] ?? '';
  return [...section.matchAll(/^\| (`[^|]+?) \|/gm)].map(([, cell = '']) => cell);
};
const namesBelow = (heading: string): string[] =>
  rowsBelow(heading).map((cell) => /^`(?:\w+\.)?(\w+)/.exec(cell)?.[1] ?? cell);

const folder = path.resolve(createRequire(import.meta.url).resolve('sqs-consumer'), '../../..');

function declared(file: string): ts.SourceFile {
  const name = path.join(folder, 'dist/esm', file);
  return ts.createSourceFile(name, ts.sys.readFile(name) ?? '', ts.ScriptTarget.Latest);
}

function membersOf(file: string, name: string): string[] {
  const found = declared(file).statements.find(
    (statement) =>
      (ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)) &&
      statement.name?.text === name,
  ) as ts.InterfaceDeclaration | ts.ClassDeclaration | undefined;
  return [...(found?.members ?? [])].flatMap((member) => {
    const isHidden =
      ts.canHaveModifiers(member) &&
      ts
        .getModifiers(member)
        ?.some(
          ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
        );
    const { name: key } = member;
    return isHidden === true || key === undefined || !ts.isIdentifier(key) ? [] : [key.text];
  });
}

describe('The page for people who come from sqs-consumer', () => {
  it('is written for the version that is installed', () => {
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(page).toContain(`${version} was read`);
    expect(version).toMatch(/^14\./);
  });

  it.each([
    ['Options', membersOf('types.d.ts', 'ConsumerOptions')],
    ['Events', membersOf('types.d.ts', 'Events')],
  ])('%s: has one row for each that sqs-consumer declares, and for no other', (heading, names) => {
    expect(names.length).toBeGreaterThan(10);
    expect(namesBelow(heading).toSorted()).toEqual(names.toSorted());
  });

  it('Methods: has a row for each public method', () => {
    // The abort controller is what `stop({ abort: true })` uses.
    const names = membersOf('consumer.d.ts', 'Consumer').filter((name) => name !== 'abortController');
    expect([...new Set(namesBelow('Methods'))].toSorted()).toEqual([...new Set(names)].toSorted());
  });
});
