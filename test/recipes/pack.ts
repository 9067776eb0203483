import { packLibrary } from '../package/packed-library.ts';

/** Packs the library into a folder, and prints where the tarball is. */
console.log(await packLibrary(process.argv[2] ?? ''));
