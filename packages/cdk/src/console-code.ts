import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ConfigurationError } from './check-options.ts';

/**
 * Returns the console's code: the function and the pages of `batchlatch-cli`, without its commands. Both were
 * bundled when that package was built.
 */
export function consoleCode(): lambda.Code {
  const folder = distOfCli();
  if (folder !== undefined && existsSync(path.join(folder, 'console-function', 'index.mjs'))) {
    return lambda.Code.fromAsset(folder, { exclude: ['cli'] });
  }
  throw new ConfigurationError(
    'ClaimsConsole: `batchlatch-cli`, whose console it deploys, is not installed. ' +
      'Run `npm install --save-dev batchlatch-cli`, or set `code`',
  );
}

/** Looks beside this package, and then in the CDK app, which has it where packages are not hoisted. */
function distOfCli(): string | undefined {
  const { resolve } = createRequire(path.join(import.meta.dirname, 'console-code.js'));
  try {
    const manifest = resolve('batchlatch-cli/package.json', { paths: [import.meta.dirname, process.cwd()] });
    return path.join(path.dirname(manifest), 'dist');
  } catch {
    return undefined;
  }
}
