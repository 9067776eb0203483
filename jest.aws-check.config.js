import base from './jest.config.js';

/**
 * What scripts/aws-check.sh runs in an AWS account.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/aws-check/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Over the internet; a table or a queue may have to wait.
  testTimeout: 120_000,
};
