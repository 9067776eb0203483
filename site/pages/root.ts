import { fileURLToPath } from 'node:url';

/** The folder of the repository: every path of the site's code is relative to it. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));
