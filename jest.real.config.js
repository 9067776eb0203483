import base from './jest.config.js';

/**
 * The tests that need more than Node: programs by AWS and others, each installed by the test that needs it.
 * Two files at a time: they wait for other programs most of the time.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/real/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Longer than `until` waits, whose error says for what.
  testTimeout: 180_000,
  maxWorkers: 2,
  globalSetup: '<rootDir>/test/real/support/set-up-run.js',
  globalTeardown: '<rootDir>/test/real/support/tear-down-run.js',
};
