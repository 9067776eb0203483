import { packPackage } from '../package/packed-library.ts';

/** Packs packages into a folder, and prints where each tarball is: `pack.ts FOLDER [batchlatch-cdk]`. */
const [, , folder = '', ...others] = process.argv;
console.log(await packPackage('batchlatch', folder));
if (others.includes('batchlatch-cdk')) console.log(await packPackage('batchlatch-cdk', folder));
