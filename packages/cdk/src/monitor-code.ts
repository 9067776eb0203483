import { existsSync } from 'node:fs';
import path from 'node:path';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ConfigurationError } from './check-options.ts';

/** A sibling of `dist/esm` and `dist/cjs`, where this file is published. */
const PUBLISHED = path.join(import.meta.dirname, '..', 'monitor-function');

/**
 * Returns the monitor's code: one file, bundled when this package was built. Users need neither Docker nor
 * esbuild, and every machine deploys the same file.
 */
export function monitorCode(): lambda.Code {
  if (existsSync(PUBLISHED)) return lambda.Code.fromAsset(PUBLISHED);
  throw new ConfigurationError(
    `ClaimMonitor: its code is not in ${PUBLISHED}. Mark \`batchlatch-cdk\` as external in the bundler ` +
      `of the CDK app, or set \`code\``,
  );
}
