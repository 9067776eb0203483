// A CDK app. Prints what each build of the package deploys as the monitor.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import * as esm from 'batchlatch-cdk';

async function deployedBy({ ClaimsTable, ClaimMonitor }, name) {
  // Below this folder, where the code finds the SDK, as it does in Lambda.
  const app = new App({
    outdir: resolve(name),
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
  });
  const stack = new Stack(app, 'Stack');
  void new ClaimMonitor(stack, 'Monitor', { claims: new ClaimsTable(stack, 'Claims') });
  app.synth();
  const asset = readdirSync(resolve(name)).find((entry) => /^asset\.\w+$/.test(entry));
  const { handler } = await import(pathToFileURL(join(resolve(name), asset, 'index.mjs')));
  return { files: readdirSync(join(resolve(name), asset)).sort(), handler: typeof handler };
}

const cjs = createRequire(import.meta.url)('batchlatch-cdk');
const answer = { esm: await deployedBy(esm, 'by-esm'), cjs: await deployedBy(cjs, 'by-cjs') };
process.stdout.write(JSON.stringify(answer));
