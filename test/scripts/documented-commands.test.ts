import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const CI = '.ci/run';

/** The file that runs a command where `.ci/run` does not call its script, and the text of that file which does. */
const RUN_BY: Readonly<Record<string, readonly [file: string, text: string]>> = {
  // npm's own hooks of `npm pack` and `npm publish`.
  prepack: ['test/support/repository-copy.ts', "'pack'"],
  postpack: ['test/support/repository-copy.ts', "'pack'"],
  prepublishOnly: ['test/release/published.test.ts', "npm('publish'"],
  'node --import tsx scripts/pack.ts': ['test/recipes/set-up-run.js', "'scripts/pack.ts'"],
  'node --import tsx scripts/release-check.ts': [
    'test/release/published.test.ts',
    'scripts/release-check.ts',
  ],
  'node --import tsx scripts/release-sbom.ts TARBALL FILE': [
    'test/release/published.test.ts',
    "'scripts/release-sbom.ts'",
  ],
  'node --import tsx scripts/release-version.ts': [
    'test/release/version.test.ts',
    "'scripts/release-version.ts'",
  ],
  'npm run build -w site': ['lab/real/site.test.ts', "'build', '-w', 'site'"],
  'npm run dev -w site': ['lab/real/development-servers.test.ts', "'dev', '-w', 'site'"],
  'npm run build -w site/typedoc': [CI, 'npm run --silent build -w site/typedoc'],
  'CONSOLE_URL=http://127.0.0.1:PORT npx vite packages/cli/console-app': [
    'lab/real/development-servers.test.ts',
    "'packages/cli/console-app'",
  ],
  'node --import tsx scripts/components.ts list \\| install \\| start': [
    'lab/real/development-servers.test.ts',
    "'start'",
  ],
  'npx batchlatch': [CI, 'npx batchlatch doctor'],
  'scripts/aws-check.sh': ['lab/real/aws-check.test.ts', 'scripts/aws-check.sh'],
  'scripts/mutation.sh': [CI, 'scripts/mutation.sh'],
  'scripts/pin.sh': [CI, 'scripts/pin.sh'],
  'scripts/sam-local.sh setup \\| run …': ['lab/real/sam-local.test.ts', 'scripts/sam-local.sh'],
  'scripts/sam.sh setup \\| templates \\| validate \\| lint \\| expand \\| build': [CI, 'scripts/sam.sh'],
};

/** The scripts that CI calls, and those that they call. */
function calledFrom(text: string, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of text.matchAll(/\bnpm (?:run )?(?:--silent )?([\w:]+)/g)) {
    if (found.has(name) || !Object.hasOwn(scripts, name)) continue;
    found.add(name);
    calledFrom(scripts[name] ?? '', found);
  }
  return found;
}

const called = calledFrom(readFileSync(CI, 'utf8').replaceAll(/^\s*#.*$/gm, ''));
const others = Object.keys(scripts).filter((name) => !called.has(name));
const documented = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| (`.+?`) \| /gm)].flatMap(
  ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command),
);
const scriptOf = (command: string): string | undefined =>
  command.includes(' -w ') ? undefined : /^npm (?:run )?([\w:]+)/.exec(command)?.[1];
const besideScripts = documented.filter((command) => scriptOf(command) === undefined && command !== CI);

describe('A documented command', () => {
  it.each([...others, ...besideScripts])('is run by CI, or by a test that CI runs: %s', (command) => {
    const [file, text] = RUN_BY[command] ?? ['no file', ''];
    expect([command, file]).not.toEqual([command, 'no file']);
    expect([file, readFileSync(file, 'utf8').includes(text)]).toEqual([file, true]);
  });

  it('is a script of package.json where npm runs it', () => {
    const names = documented.flatMap((command) => scriptOf(command) ?? []);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it('is looked for in a test only where CI does not call its script', () => {
    expect(Object.keys(RUN_BY).toSorted()).toEqual([...others, ...besideScripts].toSorted());
  });
});
