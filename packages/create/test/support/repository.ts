/** Everything that the tests take from the rest of the repository, by its place. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export { startDynamoDBEmulator } from '../../../cli/src/dev/emulators/dynamodb-emulator.ts';
export {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../../cli/src/dev/emulators/emulator-environment.ts';
export { startSqsEmulator } from '../../../cli/src/dev/emulators/sqs-emulator.ts';
export type { LocalService } from '../../../cli/src/dev/emulators/local-service.ts';
export { doctorTemplate } from '../../../cli/src/doctor/doctor-template.ts';
export { PACKAGE_NAMES, packedPackage } from '../../../../scripts/release/packed-package.ts';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Where TypeScript finds the packages of this repository without their being built. */
export function sourcePaths(): Readonly<Record<string, readonly string[]>> {
  const { compilerOptions } = JSON.parse(readFileSync(path.join(ROOT, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Readonly<Record<string, readonly string[]>> };
  };
  return Object.fromEntries(
    Object.entries(compilerOptions.paths).map(([name, [place = '']]) => [name, [path.join(ROOT, place)]]),
  );
}
