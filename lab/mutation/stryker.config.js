import { fileURLToPath } from 'node:url';
import jest from '../../jest.config.js';

// Mutation testing of one room at a time. Run by scripts/mutation.sh, which names the room and gathers its tests in one
// file: Jest loads each file anew for each mutant, and runs all files to their end.
const [unit] = jest.projects;
const room = process.env['BATCHLATCH_MUTATION_ROOM'] ?? 'keys';

/** Of the stores, what is not one database's. */
const files = room === 'stores' ? ['src/stores/*.ts', 'src/stores/rows/*.ts'] : [`src/${room}/**/*.ts`];

export default {
  mutate: files,
  // Nearly all string literals are the prose of error messages; what else they say, types and tests hold.
  mutator: { excludedMutations: ['StringLiteral'] },
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    projectType: 'custom',
    configFile: 'jest.config.js',
    config: {
      ...unit,
      projects: [],
      testMatch: ['<rootDir>/test/mutation.test.ts'],
      testEnvironment: fileURLToPath(new URL('../../test/support/bail-environment.js', import.meta.url)),
      // Many mutants make a batch wait for ever: a test that fails costs less than a process that is stopped.
      testTimeout: 2_000,
      // Jest runs once per mutant: it need not start `watchman` and `find` each time.
      watchman: false,
      // Loading AWS's SDK takes longer than nearly all of these tests, which keep their claims in memory.
      moduleNameMapper: {
        ...unit.moduleNameMapper,
        '^@aws-sdk/client-dynamodb$': '<rootDir>/test/support/no-dynamodb.js',
      },
      haste: { forceNodeFilesystemAPI: true },
    },
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  // Mutants of what runs at import are left out: each would need every test in a new process.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 5_000,
  tsconfigFile: 'none.json', // Stryker rewrites one with a TypeScript API that TypeScript 7 does not have
  reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  jsonReporter: { fileName: `reports/mutation/${room}.json` },
  htmlReporter: { fileName: `reports/mutation/${room}.html` },
  thresholds: { high: 95, low: 85, break: 85 },
};
