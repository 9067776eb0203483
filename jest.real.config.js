import base from './jest.config.js';

/**
 * The tests that need more than Node: programs by AWS and others, each installed by the test that needs it.
 * One file at a time (`--runInBand`), because the machine is small and the programs are not.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/real/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 60_000,
  globalSetup: '<rootDir>/test/real/support/set-up-run.js',
  globalTeardown: '<rootDir>/test/real/support/tear-down-run.js',
};
