#!/usr/bin/env node
import { versionOfPackage } from './version.ts';

const [first, ...rest] = process.argv.slice(2);
// Asked for by scripts: no command is loaded for it.
if ((first === '--version' || first === '-V') && rest.length === 0)
  process.stdout.write(`${versionOfPackage()}\n`);
else await import('./main.ts');
