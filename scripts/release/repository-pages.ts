/** Where the files of a repository can be read at one version, both without a slash at the end. */
export interface RepositoryPages {
  /** A page of a file or folder: this, a slash, and its path. */
  readonly page: string;
  /** What the file holds, as an image needs it. */
  readonly raw: string;
}

/** The pages of `repository` of package.json at the tag of this version; undefined where it is missing or not on GitHub. */
export function repositoryPages(repository: unknown, version: string): RepositoryPages | undefined {
  const url =
    typeof repository === 'object' && repository !== null && 'url' in repository
      ? repository.url
      : repository;
  if (typeof url !== 'string') return undefined;
  const name =
    /^(?:github:|(?:git\+)?(?:https|ssh):\/\/(?:git@)?github\.com\/)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(
      url,
    )?.[1];
  if (name === undefined) return undefined;
  return {
    page: `https://github.com/${name}/blob/v${version}`,
    raw: `https://raw.githubusercontent.com/${name}/v${version}`,
  };
}
