import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answersAwsCall } from '../../../packages/cli/src/dev/emulators/aws-probe.ts';
import { type RunningChild, startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { JAVA_OPTIONS, javaLibrary, type JavaLibrary, whyJavaMissing } from './java-library.ts';

const VERSION = '2.6.1';
const LIBRARY: JavaLibrary = {
  folder: `dynamodb-local-${VERSION}`,
  groupId: 'com.amazonaws',
  artifactId: 'DynamoDBLocal',
  version: VERSION,
  prepare: nameNativeLibraries,
};

export const dynamoDBLocal: Component = {
  name: 'dynamodb-local',
  version: VERSION,
  purpose: "AWS's own DynamoDB for development: PartiQL batches as AWS parses them",
  whyMissing: () => whyJavaMissing(LIBRARY),
  install: async () => void (await javaLibrary(LIBRARY)),
  start: startDynamoDBLocal,
};

/** Starts an empty DynamoDB Local in memory. */
export async function startDynamoDBLocal(options: StartOptions = {}): Promise<LocalService> {
  const port = options.port ?? (await freePort());
  const child = await startServer(port, ['-inMemory']);
  return { name: 'DynamoDB Local', endpoint: endpointOf(port), stop: () => child.stop() };
}

/** A DynamoDB Local whose tables outlive it. */
export interface DynamoDBOnDisk extends LocalService {
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and files. */
  startAgain(): Promise<void>;
}

/** Starts an empty DynamoDB Local that writes to files, which are deleted when it stops. */
export async function startDynamoDBOnDisk(): Promise<DynamoDBOnDisk> {
  const files = await mkdtemp(join(tmpdir(), 'dynamodb-local-'));
  const port = await freePort();
  const start = (): Promise<RunningChild> => startServer(port, ['-dbPath', files]);
  let child = await start();
  return {
    name: 'DynamoDB Local',
    endpoint: endpointOf(port),
    async kill() {
      process.kill(-child.pid, 'SIGKILL');
      await child.stop();
    },
    async startAgain() {
      child = await start();
    },
    async stop() {
      await child.stop();
      await rm(files, { recursive: true, force: true });
    },
  };
}

function endpointOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

async function startServer(port: number, where: readonly string[]): Promise<RunningChild> {
  const folder = await javaLibrary(LIBRARY);
  return startChild({
    name: 'DynamoDB Local',
    command: 'java',
    args: [
      ...JAVA_OPTIONS,
      `-Djava.library.path=${folder}`,
      '-cp',
      `${folder}/*`,
      'com.amazonaws.services.dynamodbv2.local.main.ServerRunner',
      ...where,
      // Without -sharedDb every access key and region has its own tables.
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    isReady: () => answersAwsCall(endpointOf(port), 'DynamoDB_20120810.ListTables'),
  });
}

/** Java looks for SQLite under a name without a version, and Maven gives it one. */
async function nameNativeLibraries(folder: string): Promise<void> {
  const natives = (await readdir(folder)).filter((file) => /^libsqlite4java-.*\.(so|dylib)$/.test(file));
  for (const file of natives) {
    await copyFile(join(folder, file), join(folder, file.replace(/-[\d.]+(?=\.\w+$)/, '')));
  }
}
