import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const PINS = 'scripts/pins';

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** What installs something on a developer's machine, in part as root. */
const installers = [
  ...readdirSync('scripts', { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [`scripts/${entry.name}`] : [],
  ),
  ...readdirSync('test/support/components').map((name) => `test/support/components/${name}`),
];

describe('What the scripts and the components install', () => {
  it.each(installers)('%s installs packages by their digests only', (file) => {
    const code = read(file);
    // `npm install --package-lock-only` installs nothing.
    expect(code).not.toMatch(/npm['", [\]]+(i|install)\b(?!['", ]+--package-lock-only)/);
    for (const [line] of code.matchAll(/^.*\bpip['"]?,? *'?install\b[^\n]*$/gm)) {
      expect(line).toContain('--require-hashes');
    }
  });

  const python = readdirSync(`${PINS}/python`).flatMap((file) =>
    file.endsWith('.in') ? [file.slice(0, -3)] : [],
  );

  it.each(python)('of Python, for %s: every package has its version and its digests', (name) => {
    const pinned = requirementsOf(read(`${PINS}/python/${name}.txt`));
    for (const requirement of pinned) {
      expect(requirement).toMatch(/^[\w.-]+==[\w.]+( ; [^\\]+)?( --hash=sha256:[0-9a-f]{64})+$/);
    }
    for (const wanted of read(`${PINS}/python/${name}.in`).trim().split('\n')) {
      const [, project, version] = /^([\w-]+)(?:\[\w+\])?==([\d.]+)$/.exec(wanted) ?? [];
      expect(pinned).toContainEqual(expect.stringMatching(`^${project}==${version} `));
    }
  });

  const npm = readdirSync(`${PINS}/npm`);

  it.each(npm)('of npm, for %s: every package has its version and its digest', (name) => {
    const folder = `${PINS}/npm/${name}`;
    const { dependencies } = JSON.parse(read(`${folder}/package.json`));
    const { packages } = JSON.parse(read(`${folder}/package-lock.json`));
    expect(packages[''].dependencies).toEqual(dependencies);
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    for (const [path, locked] of Object.entries<Record<string, unknown>>(packages)) {
      if (path === '') continue;
      expect(locked).toMatchObject({
        version: expect.any(String),
        integrity: expect.stringMatching(/^sha512-/),
      });
      // An address would be that of the registry of the machine that wrote the file.
      expect(locked).not.toHaveProperty('resolved');
    }
  });

  it('is pinned for every platform, not only for the one that wrote it down', () => {
    expect(python.length).toBeGreaterThan(2);
    expect(npm.length).toBeGreaterThan(2);
    expect(read(`${PINS}/python/sam.txt`)).toContain("sys_platform == 'win32'");
  });
});

/** One line each: the package, and its digests. */
function requirementsOf(text: string): string[] {
  return text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/ \\\n */g, ' ')
    .trim()
    .split('\n');
}
