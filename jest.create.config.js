import base from './jest.config.js';

/**
 * `npm create batchlatch` as a user has it: packed packages, installed into the projects that it makes.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/packages/create/test/{end-to-end,components}.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 240_000,
};
