import { expect, test } from '@jest/globals';
import { ownerOf } from '../../lab/bench/bundle-owner.ts';

const DIST = 'lab/bench/dist/node_modules/batchlatch/dist/esm';

test.each([
  ['batchlatch/batch', `${DIST}/batch/processor.js`],
  ['batchlatch/aws', `${DIST}/aws/direct-sender.js`],
  ['batchlatch/aws', `${DIST}/aws/signed-headers.js`],
  ['batchlatch', `${DIST}/index.js`],
  ['@smithy/core', 'node_modules/@smithy/core/dist-es/index.js'],
  ['leven', 'node_modules/leven/index.js'],
  ['the function itself', 'lab/bench/functions/batchlatch.ts'],
])('%s owns %s of a bundle', (owner, file) => {
  expect(ownerOf(file)).toBe(owner);
});
