import path from 'node:path';
import { wrongUsage } from './create-error.ts';
import { packagesUsed } from './manifest.ts';

/** A valid name of a package, a CloudFormation stack, an SST app and a Lambda function. */
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Returns the project's name, taken from its folder. Throws a `CreateError` for an invalid name. */
export function projectName(folder: string, cwd: string): string {
  if (folder === '') throw wrongUsage('Expected the name of a folder, got an empty text');
  const name = path.basename(path.resolve(cwd, folder));
  if (!NAME.test(name)) {
    throw wrongUsage(
      `The folder's name becomes the name of the project: expected ` +
        `at most 40 lower-case letters, digits and hyphens, beginning with a letter, got \`${name}\``,
    );
  }
  if (packagesUsed().has(name)) {
    throw wrongUsage(`\`${name}\` is a package that the project depends on: choose another name`);
  }
  return name;
}
