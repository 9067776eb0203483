/**
 * Everything that the tests take from the rest of the repository, by its place. The command line and the constructs are packages of
 * their own in generated projects; as long as they are parts of the library here, this file alone knows of it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packLibrary } from '../../../../test/package/packed-library.ts';

export { startDynamoDBEmulator } from '../../../../src/dev/emulators/dynamodb-emulator.ts';
export {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../../../src/dev/emulators/emulator-environment.ts';
export { startSqsEmulator } from '../../../../src/dev/emulators/sqs-emulator.ts';
export type { LocalService } from '../../../../src/dev/emulators/local-service.ts';
export { doctorTemplate } from '../../../../src/doctor/doctor-template.ts';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Where TypeScript finds the packages of this repository without their being built. */
export function sourcePaths(): Readonly<Record<string, readonly string[]>> {
  const { compilerOptions } = JSON.parse(readFileSync(path.join(ROOT, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Readonly<Record<string, readonly string[]>> };
  };
  const absolute = Object.entries(compilerOptions.paths).map(([name, [place = '']]) => [
    name,
    [path.join(ROOT, place)],
  ]);
  return { 'batchlatch-cdk': [path.join(ROOT, 'src/cdk/index.ts')], ...Object.fromEntries(absolute) };
}

/** Packs the packages that generated projects install, as they are published. Returns the tarballs by name. */
export async function packPackages(folder: string): Promise<Readonly<Record<string, string>>> {
  return { batchlatch: await packLibrary(folder) };
}

/** Changes a generated project so that it finds in the library what is to be in other packages, and their dependencies. */
export function withoutOtherPackages(folder: string): void {
  const file = path.join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { devDependencies: Record<string, string> };
  const { 'batchlatch-cli': cli, 'batchlatch-cdk': cdk, ...others } = manifest.devDependencies;
  const ofCli = { esbuild: '^0.28.2', fauxqs: '^1.9.2', dynalite: '^4.0.0', yaml: '^2.9.1' };
  manifest.devDependencies = { ...others, ...(cli !== undefined && ofCli) };
  writeFileSync(file, JSON.stringify(manifest, undefined, 2));
  if (cdk === undefined) return;
  const app = path.join(folder, 'app.ts');
  writeFileSync(app, readFileSync(app, 'utf8').replace("'batchlatch-cdk'", "'batchlatch/cdk'"));
}
