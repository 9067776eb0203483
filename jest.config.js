/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{test,examples,packages/*/test}/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/real/',
    '<rootDir>/test/package/(package|source-maps|tarball).test.ts',
    '<rootDir>/test/release/',
    '<rootDir>/test/linearizability/',
    '<rootDir>/test/aws-check/',
    '<rootDir>/test/recipes/',
    '<rootDir>/test/surroundings/',
    '<rootDir>/packages/create/test/(end-to-end|components).test.ts',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
  },
  moduleNameMapper: {
    '^batchlatch$': '<rootDir>/src/index.ts',
    '^batchlatch/core$': '<rootDir>/src/core.ts',
    '^batchlatch/(dynamodb|memory|postgres|redis)$': '<rootDir>/src/stores/$1/index.ts',
    '^batchlatch/(durable|functions|http|jmespath|monitor|observe|opentelemetry|operations|powertools|s3|testing|cdk|worker)$':
      '<rootDir>/src/$1/index.ts',
  },
  // Not one core fewer than there are, as by default: most tests wait for other processes much of the time.
  maxWorkers: '100%',
  // A worker that has grown for minutes takes so long to end that Jest reports it as one that hangs.
  workerIdleMemoryLimit: '1GB',
  // Emulators share two cores with everything else in CI: a hang is still found, a slow start is not one.
  testTimeout: 30_000,
  setupFiles: ['<rootDir>/test/support/environment.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/forget-subscribers.ts'],
};
