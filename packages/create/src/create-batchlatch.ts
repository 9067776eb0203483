#!/usr/bin/env node
import { runCreate } from './run-create.ts';

process.exitCode = await runCreate(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
