import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const FUNCTIONS = fileURLToPath(new URL('functions/', import.meta.url));

/** What a program of `functions/` prints. */
interface Printed {
  /** Log lines before what the program prints. */
  readonly log: readonly unknown[];
  readonly runs: number;
  readonly failures: readonly number[];
  readonly codes: readonly string[];
  readonly messages: readonly string[];
  /** The code that was loaded by and after the store. */
  readonly scripts: readonly string[];
  /** Of them those before the first event, which comes `INIT_MS` of the environment later. */
  readonly scriptsOfInit: readonly string[];
  /** What the handler of `sqs-and-stream` was given. */
  readonly seen?: readonly string[];
}

/** A program of `functions/`, ready to run. */
export interface RunnableFunction {
  /** The files in the bundle. */
  readonly inputs: readonly string[];
  readonly bytes: number;
  run(env: NodeJS.ProcessEnv): Promise<Printed>;
}

/** As it is, beside the packages of `folder`. */
export async function unbundled(folder: string, program: string): Promise<RunnableFunction> {
  await cp(FUNCTIONS, folder, { recursive: true });
  return runnable(path.join(folder, `${program}.mjs`), []);
}

/**
 * With all that it imports in one file, as esbuild does it when it is told no more than it has to be, and that file in a folder of its own
 * below `elsewhere`, where no packages are to be found.
 */
export async function bundled(
  folder: string,
  program: string,
  format: 'esm' | 'cjs',
  elsewhere: string,
  external: string[] = [],
): Promise<RunnableFunction> {
  await cp(FUNCTIONS, folder, { recursive: true });
  const outfile = path.join(
    await mkdtemp(path.join(elsewhere, 'bundle-')),
    format === 'esm' ? 'f.mjs' : 'f.cjs',
  );
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [path.join(folder, `${program}.mjs`)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    external,
    // AWS's SDK as ES modules; as CommonJS it needs a `require` in a bundle that is one.
    ...(program.startsWith('client') && { mainFields: ['module', 'main'] }),
    metafile: true,
    logLevel: 'error',
  });
  return runnable(outfile, Object.keys(metafile.inputs));
}

async function runnable(file: string, inputs: readonly string[]): Promise<RunnableFunction> {
  return {
    inputs,
    bytes: (await readFile(file)).byteLength,
    async run(env) {
      const options = { cwd: path.dirname(file), env: { ...env } };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], options);
      if (stderr !== '') throw new Error(stderr);
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      return { ...(lines.pop() as Omit<Printed, 'log'>), log: lines };
    },
  };
}
