import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PINS = new URL('../../../scripts/pins/', import.meta.url);

/** What belongs to a program that is installed from PyPI or npm, version by version and with digests (scripts/pin.sh). */
export interface Pins {
  readonly version: string;
  /** Of the cache. Another list is another folder: what was installed by the old one does not pass for it. */
  readonly folder: string;
  /** The list that pip takes, or the folder that holds npm's. */
  readonly path: string;
}

/** A program of PyPI, by the name of its list in `scripts/pins/python`. */
export function pythonPins(name: string): Pins {
  const list = pathOf(`python/${name}.txt`);
  const [, version = ''] = /==(.+)/.exec(readFileSync(pathOf(`python/${name}.in`), 'utf8')) ?? [];
  return { version, folder: `${name}-${version}-${shortDigest(list)}`, path: list };
}

/** A program of npm, by the name of its folder in `scripts/pins/npm`, which depends on that program first. */
export function npmPins(name: string): Pins {
  const path = pathOf(`npm/${name}`);
  const { dependencies } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const [version = ''] = Object.values(dependencies);
  // The name that scripts/sam-local.sh gives it, too.
  return { version, folder: `${name}-${shortDigest(`${path}/package-lock.json`)}`, path };
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, PINS));
}

function shortDigest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 8);
}
