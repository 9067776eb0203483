import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { answersAwsCall } from '../../../src/dev/emulators/aws-probe.ts';
import { startChild } from '../../../src/dev/emulators/child-process.ts';
import { freePort } from '../../../src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../src/dev/emulators/local-service.ts';
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
  const folder = await javaLibrary(LIBRARY);
  const port = options.port ?? (await freePort());
  const endpoint = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'DynamoDB Local',
    command: 'java',
    args: [
      ...JAVA_OPTIONS,
      `-Djava.library.path=${folder}`,
      '-cp',
      `${folder}/*`,
      'com.amazonaws.services.dynamodbv2.local.main.ServerRunner',
      '-inMemory',
      // Without -sharedDb every access key and region has its own tables.
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    isReady: () => answersAwsCall(endpoint, 'DynamoDB_20120810.ListTables'),
  });
  return { name: 'DynamoDB Local', endpoint, stop: () => child.stop() };
}

/** Java looks for SQLite under a name without a version, and Maven gives it one. */
async function nameNativeLibraries(folder: string): Promise<void> {
  const natives = (await readdir(folder)).filter((file) => /^libsqlite4java-.*\.(so|dylib)$/.test(file));
  for (const file of natives) {
    await copyFile(join(folder, file), join(folder, file.replace(/-[\d.]+(?=\.\w+$)/, '')));
  }
}
