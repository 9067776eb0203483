import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../cli-error.ts';

/** The folders to resolve packages from: the project that the command runs in, then this package. */
const FOLDERS = [process.cwd(), path.dirname(fileURLToPath(import.meta.url))];

interface LoadOptions {
  readonly folders?: readonly string[];
  /** The command that installs a missing package. */
  readonly install?: string;
}

/** Loads the first of these packages that is installed, or throws a `CliError` with the install command. */
export function loadPeer(
  names: readonly string[],
  { folders = FOLDERS, install = 'npm install' }: LoadOptions = {},
): { readonly name: string; readonly module: unknown } {
  for (const name of names) {
    for (const folder of folders) {
      const require = createRequire(path.join(folder, 'package.json'));
      if (isInstalled(name, require)) return { name, module: require(name) as unknown };
    }
  }
  const either = names.map((name) => `\`${install} ${name}\``).join(' or ');
  throw new CliError(`This needs the package ${names.join(' or ')}, which is not installed here: ${either}.`);
}

/** Returns whether a package can be resolved: one that fails to load throws its own error. */
function isInstalled(name: string, require: NodeJS.Require): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
