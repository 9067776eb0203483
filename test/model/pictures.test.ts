import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { claimLife } from '../../lab/model/pictures.ts';

const FILE = 'docs/images/claim-model.svg';

it("shows a claim's life as the transition relation has it (UPDATE_DOCS=1 writes the picture anew)", () => {
  const picture = claimLife();
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, picture);
  expect(readFileSync(FILE, 'utf8')).toBe(picture);
});
