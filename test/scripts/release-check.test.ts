import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { openItems, type ReleaseFiles } from '../../scripts/release/open-items.ts';

const READY: ReleaseFiles = {
  manifest: {
    name: 'batchlatch',
    version: '1.2.3',
    repository: { type: 'git', url: 'git+https://example.com/batchlatch.git' },
    bugs: { url: 'https://example.com/batchlatch/issues', email: 'security@example.com' },
    homepage: 'https://example.com/batchlatch',
  },
  packages: {},
  readme: 'See [the docs](https://example.com/docs) and [below](#below).',
  changelog: '# Changelog\n\n## 1.2.3 (2026-11-22)\n\n- A change.\n\n## 1.2.2 (2026-11-01)\n',
  security: '# Security',
};

describe('The release check', () => {
  it('finds nothing in a package that is ready', () => {
    expect(openItems(READY)).toEqual([]);
  });

  it.each(['repository', 'bugs', 'homepage'])('asks for `%s`', (field) => {
    const files = openItems({ ...READY, manifest: { ...READY.manifest, [field]: undefined } });
    expect(files).toContainEqual({
      file: 'package.json',
      text: expect.stringContaining(`\`${field}\` is missing`),
    });
  });

  it('asks for the version and the addresses of the library in each package', () => {
    const packages = {
      'packages/cli/package.json': { ...READY.manifest, version: '1.2.2', bugs: undefined },
    };
    expect(openItems({ ...READY, packages })).toEqual(
      ['version', 'bugs'].map((field) => ({
        file: 'packages/cli/package.json',
        text: `\`${field}\` is not that of package.json: copy it`,
      })),
    );
  });

  it('asks for an address for reports that are not public', () => {
    const manifest = { ...READY.manifest, bugs: 'https://example.com/batchlatch/issues' };
    expect(openItems({ ...READY, manifest })).toEqual([
      { file: 'SECURITY.md', text: expect.stringContaining('bugs.email') },
    ]);
  });

  it('asks for a repository whose pages the links of the README can lead to', () => {
    const readme = 'See [a](docs/a.md), [again](docs/a.md) and [c].\n\n[c]: CONTRIBUTING.md#tests\n';
    expect(openItems({ ...READY, readme })).toEqual([
      { file: 'README.md', text: expect.stringMatching(/^links to 2 files .* such as `docs\/a\.md`:/) },
    ]);
    const manifest = { ...READY.manifest, repository: 'github:example/batchlatch' };
    expect(openItems({ ...READY, manifest, readme })).toEqual([]);
  });

  it.each([
    ['another version', '## 1.2.2 (2026-11-22)'],
    ['a longer version', '## 1.2.30 (2026-11-22)'],
    ['no date', '## 1.2.3 (unreleased)'],
    ['no section', 'Nothing yet.'],
  ])('holds the changelog to the version: %s', (_what, changelog) => {
    expect(openItems({ ...READY, changelog })).toEqual([{ file: 'CHANGELOG.md', text: expect.any(String) }]);
  });

  it('prints a list and exits with 1 as long as the publisher has something to fill in', () => {
    const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/release-check.ts'], {
      encoding: 'utf8',
    });
    expect(stdout).toMatch(
      /^batchlatch \d+\.\d+\.\d+ is not ready to be published:\n\n {2}package\.json {2}/,
    );
    expect(status).toBe(1);
  });
});
