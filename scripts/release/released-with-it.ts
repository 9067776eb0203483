/** The manifests of the packages that have the library's version, and are published with it. */
export const RELEASED_WITH_IT: readonly string[] = [
  'packages/cdk/package.json',
  'packages/cli/package.json',
  'packages/create/package.json',
];
