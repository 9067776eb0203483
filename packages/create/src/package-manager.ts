import { existsSync } from 'node:fs';
import path from 'node:path';

/** The commands of a package manager, for messages and Dockerfiles. */
export interface PackageManager {
  readonly name: string;
  readonly install: string;
  /** Runs a script: `test`, `start` and so on. */
  readonly run: (script: string) => string;
  /** The prefix that runs the bin of an installed package. */
  readonly exec: string;
  readonly lockFile: string;
  readonly installForProduction: string;
}

const NPM: PackageManager = {
  name: 'npm',
  install: 'npm install',
  run: (script) => (script === 'test' || script === 'start' ? `npm ${script}` : `npm run ${script}`),
  exec: 'npx',
  lockFile: 'package-lock.json',
  installForProduction: 'npm ci --omit=dev && npm cache clean --force',
};

const OTHERS: readonly PackageManager[] = [
  {
    name: 'pnpm',
    install: 'pnpm install',
    run: (script) => `pnpm run ${script}`,
    exec: 'pnpm exec',
    lockFile: 'pnpm-lock.yaml',
    installForProduction: 'corepack enable && pnpm install --prod --frozen-lockfile',
  },
  {
    name: 'yarn',
    install: 'yarn install',
    run: (script) => `yarn run ${script}`,
    exec: 'yarn run',
    lockFile: 'yarn.lock',
    installForProduction: 'corepack enable && yarn install --production --frozen-lockfile',
  },
  {
    name: 'bun',
    install: 'bun install',
    run: (script) => `bun run ${script}`,
    exec: 'bunx',
    lockFile: 'bun.lock',
    installForProduction: 'npx --yes bun install --production --frozen-lockfile',
  },
];

/** Returns the package manager in `npm_config_user_agent`, which started this process; else npm. */
export function packageManagerOf(env: NodeJS.ProcessEnv): PackageManager {
  const name = /^(\w+)\//.exec(env['npm_config_user_agent'] ?? '')?.[1];
  return OTHERS.find((manager) => manager.name === name) ?? NPM;
}

/** Returns whether a folder above is a workspace of pnpm. Its settings count, not those of the project. */
export function isInPnpmWorkspace(folder: string): boolean {
  const above = path.dirname(folder);
  if (above === folder) return false;
  return existsSync(path.join(above, 'pnpm-workspace.yaml')) || isInPnpmWorkspace(above);
}
