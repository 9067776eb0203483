import base from './jest.config.js';

/**
 * The tests of the package as it is published: built, packed, and installed into folders of their own.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/package/{package,source-maps,tarball}.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 240_000,
};
