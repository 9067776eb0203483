// Adds up jest's JSON results in a folder and the failed steps of CI, and prints one line: `N passed, N failed`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [failedSteps = '0', folder = 'reports'] = process.argv.slice(2);
let passed = 0;
let failed = Number(failedSteps);
let skipped = 0;
for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
  const result = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  passed += result.numPassedTests;
  failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  skipped += result.numPendingTests;
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
