import { execFileSync } from 'node:child_process';
import { inRepository, VERSION } from './repository.ts';
import { ROOT } from './root.ts';

/** The facts at the foot of a page: where it is edited, when it was last changed, which version it is about. */
export interface PageFacts {
  /** The file that a change of the page goes to, or the folder from whose comments it is made. */
  readonly file: string;
  /** Undefined as long as `package.json` names no repository. */
  readonly editHref: string | undefined;
  /** Such as `2026-11-25`; undefined for a file that git does not know. */
  readonly changedOn: string | undefined;
  readonly version: string;
}

/** The pages of the reference are made from the comments of this folder. */
const REFERENCE_SOURCE = 'src';
let dates: ReadonlyMap<string, string> | undefined;

export function pageFacts(page: string): PageFacts {
  const file = page.startsWith('site/reference/') ? REFERENCE_SOURCE : page;
  dates ??= lastChanges(gitLog());
  return { file, editHref: inRepository(file, 'edit'), changedOn: dates.get(file), version: VERSION };
}

const DATE_MARK = 'date:';

/** One call for all pages. Without git, as in an archive of the sources, no page has a date. */
function gitLog(): string {
  const paths = ['*.md', REFERENCE_SOURCE];
  const args = ['log', `--format=${DATE_MARK}%cs`, '--name-only', '--no-renames', '--', ...paths];
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

/** Reads the newest date of each file, and of each folder at the top, from a log that begins with the newest. */
export function lastChanges(log: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let date = '';
  for (const line of log.split('\n')) {
    if (line.startsWith(DATE_MARK)) date = line.slice(DATE_MARK.length);
    else if (line !== '') {
      const folder = line.split('/', 1)[0] as string;
      for (const name of [line, folder]) if (!found.has(name)) found.set(name, date);
    }
  }
  return found;
}
