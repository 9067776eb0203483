import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';

const NAME = 'confluent-serializers';

export const confluentSerializers: Component = {
  name: NAME,
  version: npmPins(NAME).version,
  purpose: "Confluent's serializers of Avro and Protobuf: what they write is decoded",
  whyMissing: () => undefined,
  install: async () => void (await npmPackages(NAME)),
};

/** Runs a program that gets the folder with Confluent's packages, and gives what it prints. */
export async function runWithConfluentSerializers(file: string): Promise<string> {
  const modules = await npmPackages(NAME);
  const { stdout } = await promisify(execFile)(process.execPath, [file, modules], {
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: 300_000,
  });
  return stdout;
}
