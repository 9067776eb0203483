import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { emulatorEnvironment } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { installPacked } from '../../../test/package/packed-library.ts';
import { nodeBinary } from '../../../test/support/components/node.ts';
import { npmPackages } from '../../../test/support/components/npm-package.ts';
import { SELF_SIGNED } from '../../../test/support/self-signed.ts';
import type { Agent } from './agent.ts';

const PROGRAMS = path.resolve('lab/surroundings/programs');
const LIMIT_MS = 60_000;

/** The programs: an ES module and CommonJS. */
export type Format = 'esm' | 'cjs';

/** The batches that a program runs, each with a table of its own. */
export type Batch = 'direct' | 'client' | 'worker';

/** The argument of the programs. */
interface Setup {
  readonly tool: string;
  readonly tables: Readonly<Record<Batch, string>>;
  readonly queueUrl: string;
  /** Whether its requests have spans of our own; then nothing is sent by AWS's SDK. */
  readonly hasOwnSpans: boolean;
}

/** How a program ended. */
export interface Ended {
  /** Its exit status; the name of the signal by which it was killed after a minute. */
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** The hosts outside of this machine to which it would have connected. */
  readonly outside: readonly string[];
}

/** Installs the packed library and the agent in a folder, and runs the program there with nothing else in its environment. */
export async function runBeside(
  agent: Agent,
  format: Format,
  setup: Omit<Setup, 'tool'>,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const node = agent.node === undefined ? process.execPath : await nodeBinary(agent.node);
  const { folder } = await installPacked(
    process.env['BATCHLATCH_SURROUNDINGS'] ?? '',
    ['batchlatch'],
    ['@aws-sdk/client-sqs'],
  );
  cpSync(PROGRAMS, folder, { recursive: true });
  writeFileSync(path.join(folder, 'certificate.pem'), SELF_SIGNED.cert);
  const packages = await npmPackages(`agent-${agent.name}`);
  for (const name of [agent.module, '@opentelemetry/api']) {
    const link = path.join(folder, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    if (existsSync(path.join(packages, name))) symlinkSync(path.join(packages, name), link);
  }
  const outside = path.join(folder, 'outside.txt');

  const program = format === 'esm' ? 'program.mjs' : 'program.cjs';
  const argument = JSON.stringify({ tool: agent.name, ...setup } satisfies Setup);
  const options = {
    cwd: folder,
    timeout: LIMIT_MS,
    maxBuffer: 2 ** 26,
    env: {
      ...emulatorEnvironment,
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      NODE_EXTRA_CA_CERTS: path.join(folder, 'certificate.pem'),
      OUTSIDE_CONNECTIONS: outside,
      ...env,
      NODE_OPTIONS: `--require ./loopback-only.cjs ${agent.nodeOptions[format]}`,
    },
  };
  return new Promise((resolve) => {
    execFile(node, [program, argument], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : (error.signal ?? error.code ?? 1);
      const hosts = existsSync(outside) ? readFileSync(outside, 'utf8').trimEnd().split('\n') : [];
      resolve({ status, stdout, stderr, outside: hosts });
    });
  });
}
