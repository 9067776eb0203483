import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const RECIPES = fileURLToPath(new URL('.', import.meta.url));
/** As a user who wants to be told of what does not go together; what was downloaded before is not asked for again. */
const INSTALL = ['install', '--strict-peer-deps', '--prefer-offline', '--no-audit', '--no-fund'];

/** What a test of another kind takes from `batchlatch/testing`: a bundle runs where that is not installed. */
const CONTEXT = {
  functionName: 'orders',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:orders',
  memoryLimitInMB: '512',
  awsRequestId: '8f1f2c1e-6d6a-4a53-9f0b-0a3c7d1f2b4e',
  logGroupName: '/aws/lambda/orders',
  logStreamName: 'stream',
  callbackWaitsForEmptyEventLoop: true,
};

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

/** How a program ended. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What calls of a handler gave and printed. */
export interface Invoked {
  readonly answers: readonly unknown[];
  readonly lines: readonly string[];
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

  /** Copies the files of `test/recipes/<recipe>`, after what all recipes share; a project without a recipe is empty. */
  constructor(recipe?: string) {
    this.folder = mkdtempSync(path.join(given('BATCHLATCH_RECIPES'), `${recipe ?? 'empty'}-`));
    for (const from of recipe === undefined ? [] : ['shared', recipe]) {
      cpSync(path.join(RECIPES, from), this.folder, { recursive: true });
    }
    const manifest = path.join(this.folder, 'package.json');
    if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }');
  }

  /** Installs the packed library, and what package.json and `beside` name. Rejects where npm finds no way. */
  async install({ beside = [], options = [] }: InstallOptions = {}): Promise<void> {
    const { status, stderr } = await this.run('npm', [
      ...INSTALL,
      ...options,
      given('BATCHLATCH_PACKED'),
      ...beside,
    ]);
    if (status !== 0) throw new Error(stderr);
  }

  /** Changes a file of the project. Throws where it does not hold `before` once. */
  replace(file: string, before: string, after: string): void {
    const place = path.join(this.folder, file);
    const parts = readFileSync(place, 'utf8').split(before);
    if (parts.length !== 2) throw new Error(`Expected ${file} to hold \`${before}\` once`);
    writeFileSync(place, parts.join(after));
  }

  /** Runs a program in the folder, with nothing of this repository on its way. */
  run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: { ...this.environment(), ...env }, maxBuffer: 2 ** 26 };
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

  /**
   * Imports a module of the project in a new process, and calls its `handler` with these events one after the other, as
   * Lambda does. TypeScript is loaded by tsx, which the recipe has to name.
   */
  async invoke(file: string, events: readonly unknown[], env: NodeJS.ProcessEnv = {}): Promise<Invoked> {
    const code = `
      const { handler } = await import(${JSON.stringify(`./${file}`)});
      const answers = [];
      for (const [event, context] of ${JSON.stringify(events.map((event) => [event, CONTEXT]))}) {
        const endsAt = Date.now() + 30_000;
        context.getRemainingTimeInMillis = () => endsAt - Date.now();
        answers.push(await handler(event, context));
      }
      console.log(JSON.stringify(answers));`;
    const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const program = [...loader, '--input-type=module', '--eval', code];
    const lines = (await this.output(process.execPath, program, env)).trimEnd().split('\n');
    return { answers: JSON.parse(lines.pop() ?? '') as unknown[], lines };
  }

  /** What the repository's TypeScript says of the project's files, by the project's own tsconfig.json where it has one. */
  async typeErrors(): Promise<string> {
    const config = path.join(this.folder, 'tsconfig.json');
    if (!existsSync(config)) {
      const types = existsSync(path.join(this.folder, 'node_modules/@types/node')) ? ['node'] : [];
      writeFileSync(config, JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, types } }));
    }
    const { stdout } = await this.run(process.execPath, [TSC, '-p', config, '--noEmit', '--pretty', 'false']);
    return stdout;
  }

  /** As in a new terminal: npm and jest leave variables and folders of this repository behind. */
  environment(): Record<string, string> {
    const kept = [
      'HOME',
      'TMPDIR',
      'LANG',
      'npm_config_registry',
      'npm_config_userconfig',
      'npm_config_cache',
      'npm_config_@packed:registry',
    ];
    const folders = (process.env['PATH'] ?? '').split(path.delimiter);
    return {
      ...Object.fromEntries(
        kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      PATH: [
        path.join(this.folder, 'node_modules/.bin'),
        ...folders.filter((folder) => path.basename(folder) !== '.bin'),
      ].join(path.delimiter),
      NO_COLOR: '1',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    };
  }
}

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: use \`npm run lab:recipes\``);
  return value;
}
