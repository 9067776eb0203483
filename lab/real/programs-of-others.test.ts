import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Component } from '../../test/support/components/component.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { isOnPath, runCommand } from '../../test/support/components/run-command.ts';
import { osls, runOsls } from '../../test/support/components/osls.ts';
import { terraform } from '../../test/support/components/terraform.ts';
import { PAGES } from '../../test/docs/pages.ts';
import { shellCommands, wordsOf } from '../../test/docs/shell-commands.ts';
import { sam, samCli } from './support/sam-cli.ts';

/** No program has this option. Each refuses it, and no other, where it knows the rest of a command. */
const UNKNOWN = 'unknown-option';

/** In no package registry: the machine has it, or its commands are not checked. */
function ofTheMachine(name: string): Component {
  return {
    name,
    version: "the machine's",
    purpose: 'reads the commands of the documentation',
    isOptional: true,
    whyMissing: () => (isOnPath(name) ? undefined : `put ${name} on PATH`),
    install: async () => undefined,
  };
}

const PROGRAMS: readonly (readonly [
  name: string,
  component: Component,
  unknown: string,
  run: (args: readonly string[], cwd: string) => Promise<string>,
])[] = [
  ['sam', samCli, `--${UNKNOWN}`, (args, cwd) => sam(args, { cwd })],
  ['terraform', terraform, `-${UNKNOWN}`, (args, cwd) => runCommand('terraform', args, { cwd })],
  ['npx serverless', osls, `--${UNKNOWN}`, runOsls],
  ...['aws', 'docker'].map((name) => {
    const run = (args: readonly string[], cwd: string): Promise<string> => runCommand(name, args, { cwd });
    return [name, ofTheMachine(name), `--${UNKNOWN}`, run] as const;
  }),
];

for (const [name, component, unknown, run] of PROGRAMS) {
  // SAM takes seconds for each, so commands with the same options are run once.
  const documented = new Map(
    shellCommands(PAGES)
      .filter(({ command }) => command.startsWith(`${name} `))
      .map(({ at, command }) => [optionsOf(command), [at, command] as const]),
  );

  describeWith([component], `The commands of ${name} that the pages show`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'batchlatch-commands-'));
    beforeAll(() => component.install(), INSTALL_TIMEOUT_MS);
    afterAll(() => rmSync(folder, { recursive: true }));

    it.each([...documented.values()])('%s has options that it knows: %s', async (_at, command) => {
      // A variable stands for a name of the reader's.
      const args = wordsOf(command.replaceAll(/\$[A-Z_]+/g, 'orders')).slice(name.split(' ').length);
      const error = await run([...args, unknown], folder).then(String, (thrown: Error) => thrown.message);
      const refused = error.match(
        /(?:no such option|not defined|unknown flag|unknown options?|unrecognized CLI options):? .*/gi,
      );
      expect(refused).toEqual([expect.stringMatching(new RegExp(`: "?${unknown}\\W*$`))]);
    });
  });
}

function optionsOf(command: string): string {
  const [subcommand = '', ...rest] = wordsOf(command.replace(/^npx /, '')).slice(1);
  return [subcommand, ...rest.filter((word) => word.startsWith('-'))].join(' ');
}
