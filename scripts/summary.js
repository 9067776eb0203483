// Adds up CI's failed steps and jest's results, each given as `<file of the results>=<exit status of the run>`. The last
// line is `N passed, N failed`; what it does not say, such as how many tests were skipped, comes before.
import { readFileSync } from 'node:fs';

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
  skipped += result.numPendingTests + result.numTodoTests;
}
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function resultOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.log(`No results: ${error.message}`);
    const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
    return { ...none, numRuntimeErrorTestSuites: 1 };
  }
}
