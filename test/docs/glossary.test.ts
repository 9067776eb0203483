import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const rows = [...(PAGES.get('docs/glossary.md') ?? '').matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].slice(1);
const words = new Set(
  rows.flatMap(([, term = '']) => term.split(', ').map((word) => word.replace(/ \(.*\)$/, ''))),
);

describe('docs/glossary.md', () => {
  it('has a row for each outcome, each end of an attempt, and each word of docs/concepts.md', () => {
    const outcomes = statusesIn('src/batch/outcomes.ts');
    expect(outcomes.length).toBeGreaterThan(8);
    const ends = [...readFileSync('src/claims/claim-store.ts', 'utf8').matchAll(/readonly end: '(\w+)'/g)];
    const ofConcepts = [...(PAGES.get('docs/concepts.md') ?? '').matchAll(/^\| (\w+) \| [^|]+ \|$/gm)];
    const all = [
      ...outcomes.map((outcome) => FORMS[outcome] ?? outcome),
      ...[...ends, ...ofConcepts].map(([, word = '']) => FORMS[word] ?? word),
    ].filter((word) => word !== 'word');
    expect(new Set(all).size).toBeGreaterThan(15);
    expect(all.filter((word) => !words.has(word))).toEqual([]);
  });

  it('has each word once, in alphabetical order', () => {
    const terms = rows.map(([, term = '']) => term.toLowerCase());
    expect(terms).toEqual([...new Set(terms)].toSorted());
  });
});

/** The form of a word that the glossary has it in. */
const FORMS: Readonly<Record<string, string>> = {
  completed: 'complete',
  failed: 'fail',
  parked: 'park',
  'not-started': 'not started',
};

function statusesIn(file: string): string[] {
  const [, union = ''] =
    /export type RecordOutcome =([^;]*;[^]*?)\n\n/.exec(readFileSync(file, 'utf8')) ?? [];
  return [...union.matchAll(/status: '([\w-]+)'/g)].map(([, status = '']) => status);
}
