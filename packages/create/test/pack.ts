/** Packs all packages into a folder, in which BATCHLATCH_TARBALLS lets the end-to-end test find them on another system. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { packAll } from './support/packed.ts';

const folder = path.resolve(process.argv[2] ?? 'tarballs');
mkdirSync(folder, { recursive: true });
process.stdout.write(`${Object.values(await packAll(folder)).join('\n')}\n`);
