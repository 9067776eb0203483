import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { mutants } from './mutants.ts';

const ROOT = new URL('../../', import.meta.url);

describe('the mutants of the simulation', () => {
  it.each(mutants)('are up to date: $name', ({ patches }) => {
    for (const { file, search } of patches) {
      expect(readFileSync(new URL(file, ROOT), 'utf8').split(search)).toHaveLength(2);
    }
  });
});
