import { describe, it } from '@jest/globals';
import type { Component } from './component.ts';

/**
 * `describe` for tests that need real components. Where this machine lacks what one of them runs on, the tests
 * are skipped with a line that says what is missing; with `CI=true` that is a failure instead, so that they
 * never go missing unnoticed, unless one of what is missing is optional.
 *
 * @example
 * describeWith([dynamoDBLocal], 'the DynamoDB store on DynamoDB Local', () => {
 *   let database: LocalService;
 *   beforeAll(async () => void (database = await startDynamoDBLocal()), INSTALL_TIMEOUT_MS);
 *   afterAll(() => database.stop());
 * });
 */
export function describeWith(needed: readonly Component[], title: string, tests: () => void): void {
  const absent = needed.filter((component) => component.whyMissing() !== undefined);
  const missing = absent.map((component) => `${component.name}: ${component.whyMissing()}`);
  const mayBeMissing = absent.some(({ isOptional = false }) => isOptional);
  if (missing.length === 0) {
    describe(title, () => {
      tests();
    });
  } else if (process.env['CI'] === 'true' && !mayBeMissing) {
    describe(title, () => {
      it('has the components it needs', () => {
        throw new Error(missing.join('\n'));
      });
    });
  } else {
    // jest prints nothing that goes to the console of a file whose tests are all skipped.
    process.stderr.write(`SKIPPED: ${title}\n  ${missing.join('\n  ')}\n`);
    // oxlint-disable-next-line jest/no-disabled-tests -- the line above says so
    describe.skip(title, () => {
      tests();
    });
  }
}

/** For a `beforeAll` that may have to install its components first, on a slow line. */
export const INSTALL_TIMEOUT_MS = 300_000;
