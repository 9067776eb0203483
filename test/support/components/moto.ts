import { answersAwsCall } from '../../../packages/cli/src/dev/emulators/aws-probe.ts';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { pythonPins } from './pins.ts';
import { pythonWith, whyPythonMissing } from './python-package.ts';

export const moto: Component = {
  name: 'moto',
  version: pythonPins('moto').version,
  purpose: "DynamoDB's single-item calls; its PartiQL batches give no error for a duplicate INSERT",
  whyMissing: () => whyPythonMissing('moto'),
  install: async () => void (await pythonWith('moto')),
  start: startMoto,
};

/**
 * What `moto_server` does, on one thread: with more, two conditional writes of one item can both find their
 * condition true, which DynamoDB excludes.
 */
const SERVE_ON_ONE_THREAD = `
import sys
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
run_simple("127.0.0.1", int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=False)
`;

/** Starts moto's server: many of AWS's services on one endpoint, in memory. */
async function startMoto(options: StartOptions = {}): Promise<LocalService> {
  const command = await pythonWith('moto');
  const port = options.port ?? (await freePort());
  const endpoint = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'moto',
    command,
    args: ['-c', SERVE_ON_ONE_THREAD, String(port)],
    isReady: () => answersAwsCall(endpoint, 'DynamoDB_20120810.ListTables'),
  });
  return { name: 'moto', endpoint, stop: () => child.stop() };
}
