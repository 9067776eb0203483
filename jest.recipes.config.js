import base from './jest.config.js';

/**
 * The recipes of docs/recipes: projects that install the packed library as a user would, and run.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/recipes/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 480_000,
  globalSetup: '<rootDir>/test/recipes/set-up-run.js',
  globalTeardown: '<rootDir>/test/recipes/tear-down-run.js',
};
