import { existsSync } from 'node:fs';
import path from 'node:path';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ConfigurationError } from './check-options.ts';

/** Of `dist/esm` and `dist/cjs`, where this file is published. */
const PUBLISHED = path.join(import.meta.dirname, '..', 'monitor-function');

/**
 * The monitor's code as it comes with the package: one file, bundled when the package was built, so that nobody needs Docker or esbuild
 * for it, and the same file is deployed from every machine.
 */
export function monitorCode(): lambda.Code {
  if (existsSync(PUBLISHED)) return lambda.Code.fromAsset(PUBLISHED);
  throw new ConfigurationError(
    `ClaimMonitor: its code is not in ${PUBLISHED}. A bundled CDK app has to leave \`batchlatch-cdk\` out of the bundle, or to give \`code\``,
  );
}
