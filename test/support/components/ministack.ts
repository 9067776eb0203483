import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { answersAwsCall } from '../../../packages/cli/src/dev/emulators/aws-probe.ts';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { type NodeVersion, nodeBinary } from './node.ts';
import { pythonPins } from './pins.ts';
import { pythonWith, whyPythonMissing } from './python-package.ts';

export const ministack: Component = {
  name: 'ministack',
  version: pythonPins('ministack').version,
  purpose: 'a whole deployment: CloudFormation, SQS, EventBridge, DynamoDB, and functions that run',
  whyMissing: () => whyPythonMissing('ministack'),
  install: async () => void (await pythonWith('ministack')),
  start: startMinistack,
};

export interface MinistackOptions extends StartOptions {
  /** The Node that functions run on; by default the `node` on PATH. */
  readonly node?: NodeVersion | undefined;
  /** Where the code of functions lies. What is in `node_modules` beside it can be imported, as the SDK in Lambda. */
  readonly filesIn?: string;
}

/** Starts MiniStack without resources. Functions run as child processes of it. */
export async function startMinistack(options: MinistackOptions = {}): Promise<LocalService> {
  const command = await pythonWith('ministack');
  const node = options.node === undefined ? undefined : await nodeBinary(options.node);
  const port = options.port ?? (await freePort());
  const endpoint = `http://127.0.0.1:${port}`;
  const path = process.env['PATH'] ?? '';
  // It leaves the code of its functions behind in the folder for temporary files, and keys in one that all would share.
  const temporary = await mkdtemp(join(options.filesIn ?? tmpdir(), 'ministack-'));
  const removeTemporary = (): Promise<void> => rm(temporary, { recursive: true, force: true });
  const child = await startChild({
    name: 'MiniStack',
    command,
    args: ['-m', 'ministack'],
    env: {
      ...process.env,
      TMPDIR: temporary,
      STATE_DIR: join(temporary, 'state'),
      PATH: node === undefined ? path : `${dirname(node)}:${path}`,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LAMBDA_EXECUTOR: 'local',
      // It would bind a second port, which a second MiniStack could not.
      IOT_MTLS_ENABLED: '0',
    },
    isReady: () => answersAwsCall(endpoint, 'DynamoDB_20120810.ListTables'),
  }).catch(async (error: unknown) => {
    await removeTemporary();
    throw error;
  });
  return { name: 'MiniStack', endpoint, stop: () => child.stop().then(removeTemporary) };
}
