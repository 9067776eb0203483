import path from 'node:path';
import { build, type Rolldown } from 'vite';

/** Builds the pages into a folder. Returns the files that were put into them, for their licenses. */
export async function buildConsoleApp(outDir: string): Promise<readonly string[]> {
  const root = import.meta.dirname;
  // Whatever it is for the program that builds: for development, pages name the folders they were built in.
  process.env['NODE_ENV'] = 'production';
  const built = await build({
    configFile: path.join(root, 'vite.config.ts'),
    root,
    build: { outDir },
    logLevel: 'error',
  });
  return [built].flat().flatMap((output) => ('output' in output ? modulesOf(output) : []));
}

function modulesOf({ output }: Rolldown.RolldownOutput): readonly string[] {
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
