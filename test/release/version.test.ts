import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openItems, type ReleaseFiles } from '../../scripts/release/open-items.ts';

const PARTS = ['.changeset', 'package.json', 'package-lock.json', 'CHANGELOG.md', 'scripts', 'tsconfig.json'];
const WORKSPACES = [
  'examples',
  'lab/bench',
  'lab/local',
  'packages/cdk',
  'packages/cli',
  'packages/cli/console-app',
  'packages/create',
].map((name) => `${name}/package.json`);

/** Of the packages that are released, which have one version. */
const MANIFESTS = [
  'package.json',
  'packages/cdk/package.json',
  'packages/cli/package.json',
  'packages/create/package.json',
];

describe('`node --import tsx scripts/release-version.ts`', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'batchlatch-version-'));
    for (const part of [...PARTS, ...WORKSPACES]) {
      mkdirSync(dirname(join(copy, part)), { recursive: true });
      cpSync(part, join(copy, part), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    write('CHANGELOG.md', '# Changelog\n\n## 1.2.3 (2026-01-02)\n\n- What was there before.\n');
    setVersion('1.2.3');
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
  const write = (file: string, text: string): void => writeFileSync(join(copy, file), text);
  function setVersion(version: string): void {
    for (const file of MANIFESTS)
      write(file, `${JSON.stringify({ ...JSON.parse(read(file)), version }, undefined, 2)}\n`);
  }
  const run = (): void => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', 'scripts/release-version.ts'],
      {
        cwd: copy,
        encoding: 'utf8',
      },
    );
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  };
  /** With one day for all. */
  const changelog = (): string => read('CHANGELOG.md').replace(today(), 'TODAY');

  it.each([
    ['patch', '1.2.4', 'Patch'],
    ['minor', '1.3.0', 'Minor'],
    ['major', '2.0.0', 'Major'],
  ])(
    'makes the version that a %s change asks for, and its section of the changelog',
    (bump, version, title) => {
      write(
        '.changeset/a-change.md',
        `---\n'batchlatch': ${bump}\n---\n\n\`drainMs\`: new.\n\nSee \`docs/worker.md\`.\n`,
      );
      run();
      expect(changelog()).toBe(
        `# Changelog\n\n## ${version} (TODAY)\n\n### ${title} Changes\n\n- \`drainMs\`: new.\n\n  See \`docs/worker.md\`.\n\n` +
          '## 1.2.3 (2026-01-02)\n\n- What was there before.\n',
      );
      const [manifest, ...others] = MANIFESTS.map(
        (file) => JSON.parse(read(file)) as ReleaseFiles['manifest'],
      ) as [ReleaseFiles['manifest'], ...ReleaseFiles['manifest'][]];
      const lock = JSON.parse(read('package-lock.json'));
      const locked = ['', 'packages/cdk', 'packages/cli', 'packages/create'].map(
        (name) => lock.packages[name].version,
      );
      const all = [manifest, ...others].map((one) => one.version).concat(lock.version, ...locked);
      expect(all).toEqual(all.map(() => version));
      expect(() => read('.changeset/a-change.md')).toThrow('ENOENT');
      const items = openItems({
        manifest,
        packages: {},
        readme: '',
        changelog: read('CHANGELOG.md'),
        security: '',
      });
      expect(items.filter(({ file }) => file === 'CHANGELOG.md')).toEqual([]);
    },
  );

  it('gathers all changes of a release, the largest of which decides', () => {
    write('.changeset/one.md', "---\n'batchlatch': patch\n---\n\nA fix.\n");
    write('.changeset/two.md', "---\n'batchlatch': minor\n---\n\nAn option.\n");
    run();
    expect(changelog()).toContain(
      '## 1.3.0 (TODAY)\n\n### Minor Changes\n\n- An option.\n\n### Patch Changes\n\n- A fix.\n\n## 1.2.3',
    );
  });

  it('dates the first release, whose section was written by hand', () => {
    write('CHANGELOG.md', '# Changelog\n\n## 0.1.0 (unreleased)\n\n- All of it.\n');
    setVersion('0.1.0');
    run();
    expect(changelog()).toBe('# Changelog\n\n## 0.1.0 (TODAY)\n\n- All of it.\n');
  });

  it('changes nothing where everything is released', () => {
    run();
    const before = ['CHANGELOG.md', ...MANIFESTS, 'package-lock.json'].map(read);
    run();
    expect(['CHANGELOG.md', ...MANIFESTS, 'package-lock.json'].map(read)).toEqual(before);
    expect(read('CHANGELOG.md')).toBe('# Changelog\n\n## 1.2.3 (2026-01-02)\n\n- What was there before.\n');
  });
});

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
