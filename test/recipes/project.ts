import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const RECIPES = fileURLToPath(new URL('.', import.meta.url));
/** As a user who wants to be told of what does not go together; what was downloaded before is not asked for again. */
const INSTALL = ['install', '--strict-peer-deps', '--prefer-offline', '--no-audit', '--no-fund'];

/** How a program ended. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface InstallOptions {
  /** Packages beside those of the recipe's package.json, such as `esbuild@0.28.2`. */
  readonly beside?: readonly string[];
  /** npm's further options, such as `--workspace`. */
  readonly options?: readonly string[];
}

/** A folder with a recipe's files, in which nothing is installed but what a user of the recipe installs. */
export class Project {
  readonly folder: string;

  /** Copies the files of `test/recipes/<recipe>`; a project without a recipe is empty. */
  constructor(recipe?: string) {
    this.folder = mkdtempSync(path.join(given('BATCHLATCH_RECIPES'), `${recipe ?? 'empty'}-`));
    if (recipe !== undefined) cpSync(path.join(RECIPES, recipe), this.folder, { recursive: true });
    const manifest = path.join(this.folder, 'package.json');
    if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }');
  }

  /** Installs the packed library, and what package.json and `beside` name. Rejects where npm finds no way. */
  async install({ beside = [], options = [] }: InstallOptions = {}): Promise<void> {
    const { status, stderr } = await this.run('npm', [
      ...INSTALL,
      ...options,
      given('BATCHLATCH_TARBALL'),
      ...beside,
    ]);
    if (status !== 0) throw new Error(stderr);
  }

  /** Runs a program in the folder, with nothing of this repository on its way. */
  run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: { ...this.#environment(), ...env }, maxBuffer: 2 ** 26 };
      execFile(command, args, options, (error, stdout, stderr) => {
        const code = error?.code;
        resolve({ status: error === null ? 0 : typeof code === 'number' ? code : 1, stdout, stderr });
      });
    });
  }

  /** Runs a program and gives what it prints. Rejects with all of it where it fails. */
  async output(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const { status, stdout, stderr } = await this.run(command, args, env);
    if (status !== 0)
      throw new Error(`${[command, ...args].join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** What a JavaScript module prints as JSON in its last line. */
  async evaluate(code: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
    const stdout = await this.output(process.execPath, ['--input-type=module', '--eval', code], env);
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  }

  /** As in a new terminal: npm and jest leave variables and folders of this repository behind. */
  #environment(): NodeJS.ProcessEnv {
    const kept = [
      'HOME',
      'TMPDIR',
      'LANG',
      'npm_config_registry',
      'npm_config_userconfig',
      'npm_config_cache',
    ];
    const folders = (process.env['PATH'] ?? '').split(path.delimiter);
    return {
      ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
      PATH: [
        path.join(this.folder, 'node_modules/.bin'),
        ...folders.filter((folder) => path.basename(folder) !== '.bin'),
      ].join(path.delimiter),
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    };
  }
}

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: use \`npm run test:recipes\``);
  return value;
}
