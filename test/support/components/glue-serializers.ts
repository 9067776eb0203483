import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import type { Component } from './component.ts';
import { JAVA_OPTIONS, javaLibrary, type JavaLibrary, whyJavaMissing } from './java-library.ts';
import { isOnPath } from './run-command.ts';

const VERSION = '1.1.27';
const LIBRARY: JavaLibrary = {
  folder: `glue-serializers-${VERSION}`,
  groupId: 'software.amazon.glue',
  artifactId: 'schema-registry-serde',
  version: VERSION,
};

export const glueSerializers: Component = {
  name: 'glue-serializers',
  version: VERSION,
  purpose: "AWS Glue's serializers of Avro and Protobuf: what they write is decoded",
  whyMissing: () =>
    whyJavaMissing(LIBRARY) ??
    (isOnPath('javac') ? undefined : 'javac is not on PATH; Debian: apt-get install default-jdk-headless'),
  install: async () => void (await javaLibrary(LIBRARY)),
};

/** Runs a program in one file of Java with the serializers, and gives the lines that it prints. */
export async function runWithGlueSerializers(file: string, args: readonly string[]): Promise<string[]> {
  const folder = await javaLibrary(LIBRARY);
  const all = [...JAVA_OPTIONS, '-cp', `${folder}/*`, file, ...args];
  const { stdout } = await promisify(execFile)('java', all, { timeout: 300_000 });
  return stdout.trim().split('\n');
}
