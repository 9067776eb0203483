import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { componentNamed } from '../../../test/support/components/index.ts';

/** Installs the component of that name where needed, and starts it on a free port. */
export function startComponent(name: string): Promise<LocalService> {
  const { start } = componentNamed(name);
  if (start === undefined) throw new Error(`${name} cannot be started alone`);
  return start();
}
