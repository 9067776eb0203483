import base from './jest.config.js';

/**
 * The library beside APM agents: the packed library in processes that vendors' own packages instrument.
 * Two files at a time: an agent takes a second of CPU to start.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/surroundings/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 240_000,
  maxWorkers: 2,
  globalSetup: '<rootDir>/test/surroundings/support/set-up-run.js',
  globalTeardown: '<rootDir>/test/surroundings/support/tear-down-run.js',
};
