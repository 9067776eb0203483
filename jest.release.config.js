import base from './jest.config.js';

/**
 * The release: published to a registry on this machine, and installed from there into an empty folder.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/release/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 240_000,
};
