import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Project } from './project.ts';

const RESOLUTIONS: Readonly<Record<string, object>> = {
  node16: { module: 'node16' },
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};
const VERSIONS = ['5.0', '5.4', '5.9', '6.0', '7.0'];
const OLDEST_AND_NEWEST = new Set([VERSIONS.at(0), VERSIONS.at(-1)]);
/** Every version as new projects have it; the other resolutions with the oldest and the newest. */
const CASES = VERSIONS.flatMap((version) =>
  Object.entries(RESOLUTIONS)
    .filter(([name]) => name === 'nodenext' || OLDEST_AND_NEWEST.has(version))
    .map(([name, options]) => ({ version, name, options })),
);

let project: Project;
beforeAll(async () => {
  project = new Project('typescript');
  await project.install();
});

describe.each(CASES)('TypeScript $version, $name', ({ version, name, options }) => {
  it('has no errors in what is right, and those that must be in what is wrong', async () => {
    const config = `${version}-${name.replaceAll(' ', '-')}.json`;
    const common = { target: 'es2022', types: [], strict: true, skipLibCheck: true, noEmit: true };
    const files = ['orders.ts', 'wrong.ts'];
    const written = JSON.stringify({ compilerOptions: { ...common, ...options }, files });
    writeFileSync(path.join(project.folder, config), written);

    const tsc = `node_modules/typescript-${version}/bin/tsc`;
    const { stdout } = await project.run(process.execPath, [tsc, '-p', config, '--pretty', 'false']);
    // The lines below an error that belong to it begin with a space.
    const errors = stdout.split('\n').filter((line) => /^\S/.test(line));
    expect(errors).toEqual([
      expect.stringMatching(/^wrong\.ts\(3,\d+\): error TS2339: Property 'amount' does not exist/),
      // The details stand below it: the last overload says that a string is no number.
      expect.stringMatching(/^wrong\.ts\(4,\d+\): error TS2769: No overload matches this call/),
    ]);
    expect(stdout).toMatch(/ Type 'string' is not assignable to type 'number'/);
  });
});
