/** Packs the packages as `npm publish` would, all or those that are named, and prints where each tarball is. */
import { Argument, Command } from 'commander';
import { PACKAGE_NAMES, type PackageName, packedPackage } from './release/packed-package.ts';

const names = new Argument('[package...]', 'only these').choices(PACKAGE_NAMES);
const { processedArgs } = new Command('pack').addArgument(names).parse();
const [wanted = []] = processedArgs as [PackageName[]?];
for (const name of wanted.length === 0 ? PACKAGE_NAMES : wanted) console.log(await packedPackage(name));
