// Adds up CI's failed steps and jest's results, each given as `<file of the results>=<exit status of the run>`. The last
// line is `N passed, N failed`; before it come the tests that failed, with what they said, and how many were skipped.
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [failedSteps = '0', ...runs] = process.argv.slice(2);
let passed = 0;
let failed = Number(failedSteps);
let skipped = 0;
for (const run of runs) {
  const [, file, status] = /^(.*)=(\d+)$/.exec(run);
  const result = resultOf(file);
  const failures = result.numFailedTests + result.numRuntimeErrorTestSuites;
  passed += result.numPassedTests;
  // A run may fail without a test that does: at its start, at its end, or by what it leaves running.
  failed += failures === 0 && status !== '0' ? 1 : failures;
  for (const failure of failuresIn(result)) console.log(`FAILED ${basename(file, '.json')}: ${failure}`);
  if (failures === 0 && status !== '0')
    console.log(`FAILED ${basename(file, '.json')}: exit status ${status}`);
  skipped += result.numPendingTests + result.numTodoTests;
}
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** One for each test that failed, and for each file whose tests could not run. */
function failuresIn({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative('', name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0)
      return tests.map(
        ({ fullName, failureMessages = [] }) => `${file}: ${fullName}${shown(failureMessages[0])}`,
      );
    return status === 'failed' ? [`${file}${shown(message)}`] : [];
  });
}

/** The beginning of an error without its stack, each line indented. */
function shown(message = '') {
  const [error] = stripVTControlCharacters(message).split(/\n\s+at /);
  const lines = error.split('\n').filter((line) => line.trim() !== '');
  return lines
    .map((line) => `\n  ${line}`)
    .join('')
    .slice(0, 600);
}

function resultOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.log(`No results: ${error.message}`);
    const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
    return { ...none, numRuntimeErrorTestSuites: 1 };
  }
}
