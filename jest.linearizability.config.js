import base from './jest.config.js';

/**
 * Histories of several processes on real servers, judged by porcupine. One file at a time: what a history shows depends on how
 * much happens at once.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/linearizability/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
