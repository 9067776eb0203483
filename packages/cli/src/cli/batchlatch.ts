#!/usr/bin/env node
import { versionOfPackage } from './version.ts';

const [first, ...rest] = process.argv.slice(2);
// Scripts ask for the version: answer without loading the commands.
if ((first === '--version' || first === '-V') && rest.length === 0)
  process.stdout.write(`${versionOfPackage()}\n`);
else await import('./main.ts');
