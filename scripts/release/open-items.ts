import { relativeTargets } from './absolute-links.ts';
import { repositoryPages } from './repository-pages.ts';

/** What a release is checked on. */
export interface ReleaseFiles {
  /** Of `package.json`. */
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly private?: boolean;
    readonly repository?: unknown;
    readonly bugs?: unknown;
    readonly homepage?: unknown;
  };
  /** The manifests of the packages that are released with it, by their files. */
  readonly packages: Readonly<Record<string, ReleaseFiles['manifest']>>;
  /** The texts of the files of these names; undefined where there is none. */
  readonly readme: string | undefined;
  readonly changelog: string | undefined;
  readonly security: string | undefined;
}

/** Something that is left to do before the package is published. */
export interface OpenItem {
  readonly file: string;
  /** What is wrong, and what to do. */
  readonly text: string;
}

/** What is left to do, the package's own fields first; empty if the package can be published. */
export function openItems(files: ReleaseFiles): OpenItem[] {
  return [
    ...ofManifest(files),
    ...ofPackages(files),
    ...ofReadme(files),
    ...ofChangelog(files),
    ...ofSecurity(files),
  ];
}

function ofManifest({ manifest }: ReleaseFiles): OpenItem[] {
  const texts: string[] = [];
  if (manifest.private === true) texts.push('`private` is true: remove it, npm refuses to publish');
  if (!isUrl(urlOf(manifest.repository))) {
    texts.push(
      '`repository` is missing: add { "type": "git", "url": "git+https://…" }; provenance needs it too',
    );
  }
  if (!isUrl(urlOf(manifest.bugs))) {
    texts.push('`bugs` is missing: add { "url": "https://…" }, the page where issues are opened');
  }
  if (!isUrl(manifest.homepage)) {
    texts.push('`homepage` is missing: add the address of the README or of the documentation');
  }
  return texts.map((text) => ({ file: 'package.json', text }));
}

/** npm takes provenance from the manifest of each package. */
function ofPackages({ manifest, packages }: ReleaseFiles): OpenItem[] {
  const fields = ['version', 'repository', 'bugs', 'homepage'] as const;
  return Object.entries(packages).flatMap(([file, own]) =>
    fields
      .filter((field) => JSON.stringify(own[field]) !== JSON.stringify(manifest[field]))
      .map((field) => ({ file, text: `\`${field}\` is not that of package.json: copy it` })),
  );
}

/** The package's page knows no other files of the repository. */
function ofReadme({ readme, manifest: { repository, version } }: ReleaseFiles): OpenItem[] {
  const file = 'README.md';
  if (readme === undefined) return [{ file, text: 'is missing' }];
  const relative = relativeTargets(readme);
  if (relative.length === 0 || repositoryPages(repository, version) !== undefined) return [];
  const text =
    `links to ${relative.length} files of the repository, such as \`${relative[0]}\`: they get addresses when the package is ` +
    'packed, once `repository` in package.json names one on GitHub';
  return [{ file, text }];
}

function ofChangelog({ manifest: { version }, changelog }: ReleaseFiles): OpenItem[] {
  const file = 'CHANGELOG.md';
  const [, title] = /^## (.+)$/m.exec(changelog ?? '') ?? [];
  if (title === undefined) return [{ file, text: 'has no section' }];
  if (title.startsWith(`${version} `) && /\d{4}-\d{2}-\d{2}/.test(title)) return [];
  const expected = `\`## ${version} (YYYY-MM-DD)\`, the version of package.json and the day of the release`;
  return [{ file, text: `begins with \`## ${title}\`: expected ${expected}` }];
}

function ofSecurity({ manifest, security }: ReleaseFiles): OpenItem[] {
  const file = 'SECURITY.md';
  if (security === undefined) return [{ file, text: 'is missing' }];
  const { bugs } = manifest;
  if (typeof bugs === 'object' && bugs !== null && 'email' in bugs) return [];
  return [
    { file, text: 'names the address of `bugs.email` in package.json for private reports: there is none' },
  ];
}

function urlOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'url' in value ? value.url : value;
}

/** Also `git+https:` and `mailto:`. */
function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z+.-]*:[^\s]+$/i.test(value);
}
