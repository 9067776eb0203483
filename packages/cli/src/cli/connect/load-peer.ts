import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../cli-error.ts';

/** Where packages are looked for: in the project that the command is run in, and beside this package. */
const FOLDERS = [process.cwd(), path.dirname(fileURLToPath(import.meta.url))];

interface LoadOptions {
  readonly folders?: readonly string[];
  /** How a missing one is installed. */
  readonly install?: string;
}

/**
 * The first of these packages that the project has, or this package brings. Throws a `CliError` that says how to install one, if there is
 * none.
 */
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

/** A package that is there and cannot be loaded is an error of its own. */
function isInstalled(name: string, require: NodeJS.Require): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
