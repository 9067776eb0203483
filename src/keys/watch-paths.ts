import { findAt, type PayloadPath } from './payload-path.ts';
import { warnProcess } from './warn-process.ts';

/** After so many payloads, a path that none of them had is taken for a mistake. */
const ENOUGH = 10;

/**
 * Watches the first payloads for the paths of `include`. A record without one fails, which may be as it should be; a path
 * that none of the first ten has is more likely misspelt, and causes one warning.
 */
export function watchPaths(name: string, paths: readonly PayloadPath[]): (payload: unknown) => void {
  let unseen = paths;
  let payloads = 0;
  return (payload) => {
    if (unseen.length === 0) return;
    unseen = unseen.filter((path) => findAt(payload, path) === undefined);
    payloads += 1;
    if (payloads < ENOUGH || unseen.length === 0) return;
    const listed = unseen.map((path) => `\`${path.join('.')}\``).join(', ');
    warnProcess(
      `None of the first ${ENOUGH} payloads has a value at ${listed}, which \`include\` of ${name} names; records without it fail. Is it misspelt?`,
      'BATCHLATCH_KEY_PATH_NEVER_SEEN',
    );
    unseen = [];
  };
}
