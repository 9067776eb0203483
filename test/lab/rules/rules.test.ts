import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript-api';
import { filesOfRules, mutatedFiles } from '../../../lab/rules/mutated-files.ts';
import type { Change } from '../../../lab/rules/mutant.ts';
import { guards } from '../../../lab/model/guards.ts';
import { hammeredMutants } from '../../../lab/linearizability/mutants.ts';
import { mutants } from '../../../lab/simulation/mutants/mutants.ts';

const ROOT = process.cwd();
const ALL: readonly { readonly name: string; readonly changes: readonly Change[] }[] = [
  ...mutants,
  ...guards.map(({ name, changes }) => ({ name: `model: ${name}`, changes })),
  ...hammeredMutants.map(({ mutant }) => mutant),
];

describe('the rules', () => {
  const files = filesOfRules(ROOT);

  it('that are marked in the source each have a mutant, and the mutants are of marked rules', () => {
    const changed = new Set(ALL.flatMap(({ changes }) => changes.map(({ rule }) => rule)));
    expect([...files.keys()].toSorted()).toEqual([...changed].toSorted());
  });

  it.each(ALL.filter(({ changes }) => changes.length > 0))(
    'can be taken out of the source, which is still TypeScript: $name',
    ({ changes }) => {
      for (const [file, text] of mutatedFiles(ROOT, changes, files)) {
        expect(text).not.toBe(readFileSync(file, 'utf8'));
        const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
        expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
      }
    },
  );

  it('that no simulation notices are held by tests that are there', () => {
    for (const { pinnedBy } of mutants) if (pinnedBy !== undefined) expect(existsSync(pinnedBy)).toBe(true);
  });

  it('have mutants with names of their own', () => {
    const names = ALL.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});
