/** What all tests have. */
const base = {
  // One for all projects: they share what the transformer has written.
  id: 'batchlatch',
  testEnvironment: 'node',
  testPathIgnorePatterns: ['/node_modules/'],
  // Copies of the repository, which come and go meanwhile.
  modulePathIgnorePatterns: ['<rootDir>/(\\.stryker-tmp|reports/packed)/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
  },
  moduleNameMapper: {
    '^batchlatch$': '<rootDir>/src/index.ts',
    '^batchlatch-cdk$': '<rootDir>/packages/cdk/src/index.ts',
    '^batchlatch/(core|messages)$': '<rootDir>/src/$1.ts',
    '^batchlatch/(dynamodb|memory|postgres|redis)$': '<rootDir>/src/stores/$1/index.ts',
    '^batchlatch/(avro|durable|functions|http|jmespath|monitor|observe|opentelemetry|operations|outbox|powertools|protobuf|s3|sender|testing|worker)$':
      '<rootDir>/src/$1/index.ts',
  },
  setupFiles: ['<rootDir>/test/support/environment.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/forget-subscribers.ts'],
};

/** Folders of tests that start programs, or compute for seconds. */
const PROGRAMS = [
  'test/integration',
  'packages/cli/test',
  'packages/create/test',
  'test/bench',
  'test/lab',
  'test/model',
  'test/scripts',
  'lab/simulation',
];

/**
 * One project for each script `test…` of package.json, which names it. How many files run at a time, and how long a test may take, is
 * one setting for all projects of a run, so the scripts say what differs from the settings below.
 * @type {import('jest').Config}
 */
export default {
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{test,lab,examples,packages/*/test}/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/(test/(aws-check|package|recipes|release|types)|lab/(linearizability|real|surroundings))/',
        ...PROGRAMS.map((folder) => `<rootDir>/${folder}/`),
      ],
    },
    // Whole programs: the command line with its console and doctor, `npm create`, the demo, killed processes, scripts, the model.
    {
      ...base,
      displayName: 'programs',
      testMatch: PROGRAMS.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/packages/create/test/(end-to-end|components).test.ts',
      ],
    },
    // Packages as they are published: built, packed, and installed into folders of their own; and what an editor shows of them.
    {
      ...base,
      displayName: 'package',
      testMatch: ['<rootDir>/test/{package,types}/*.test.ts'],
    },
    // `npm create batchlatch` as a user has it: packed packages, installed into the projects that it makes.
    {
      ...base,
      displayName: 'create',
      testMatch: ['<rootDir>/packages/create/test/{end-to-end,components}.test.ts'],
    },
    // The release: published to a registry on this machine, and installed from there into an empty folder.
    { ...base, displayName: 'release', testMatch: ['<rootDir>/test/release/**/*.test.ts'] },
    // The recipes of docs/recipes: projects that install the packed library as a user would, and run.
    {
      ...base,
      displayName: 'recipes',
      testMatch: ['<rootDir>/test/recipes/*.test.ts'],
      globalSetup: '<rootDir>/test/recipes/set-up-run.js',
      globalTeardown: '<rootDir>/test/recipes/tear-down-run.js',
    },
    // The library beside APM agents: the packed library in processes that vendors' own packages instrument. Two files at a time: an
    // agent takes a second of CPU to start.
    {
      ...base,
      displayName: 'surroundings',
      testMatch: ['<rootDir>/lab/surroundings/*.test.ts'],
      globalSetup: '<rootDir>/lab/surroundings/support/set-up-run.js',
      globalTeardown: '<rootDir>/lab/surroundings/support/tear-down-run.js',
    },
    // What needs more than Node: programs by AWS and others, each installed by the test that needs it. A test may take longer than
    // `until` waits, whose error says for what.
    {
      ...base,
      displayName: 'real',
      testMatch: ['<rootDir>/lab/real/**/*.test.ts'],
      globalSetup: '<rootDir>/lab/real/support/set-up-run.js',
      globalTeardown: '<rootDir>/lab/real/support/tear-down-run.js',
    },
    // Histories of several processes on real servers, judged by porcupine. One file at a time: what a history shows depends on how much
    // happens at once.
    {
      ...base,
      displayName: 'linearizability',
      testMatch: ['<rootDir>/lab/linearizability/**/*.test.ts'],
    },
    // What scripts/aws-check.sh runs in an AWS account, over the internet; a table or a queue may have to wait.
    { ...base, displayName: 'aws-check', testMatch: ['<rootDir>/test/aws-check/**/*.test.ts'] },
  ],
  // Not one core fewer than there are, as by default: most tests wait for other processes much of the time.
  maxWorkers: '100%',
  workerIdleMemoryLimit: '2GB',
  // A process that has grown for minutes takes seconds to end on a busy machine. One that keeps a handle open never ends.
  workerGracefulExitTimeout: 20_000,
  // Emulators share two cores with everything else in CI: a hang is still found, a slow start is not one. Longer than `until` waits.
  testTimeout: 90_000,
};
