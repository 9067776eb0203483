import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KEYS, Terminal } from './support/terminal.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'batchlatch-create-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const read = (...names: string[]): string => readFileSync(path.join(cwd, ...names), 'utf8');
const manifest = (folder = 'my-worker'): { name: string; dependencies: object } =>
  JSON.parse(read(folder, 'package.json')) as { name: string; dependencies: object };

const PNPM = { npm_config_user_agent: 'pnpm/12.21.0 npm/? node/v22.14.0 linux x64' };

describe('create-batchlatch with flags', () => {
  it('writes a project and prints the three commands that come next', async () => {
    const terminal = new Terminal(cwd);
    expect(await terminal.run('orders', '--deploy', 'sam', '--store', 'dynamodb')).toBe(0);
    expect(terminal.shown).toContain(
      'Wrote 7 files into orders: AWS SAM, claims in DynamoDB. Next:\n\n  cd orders\n  npm install\n  npm test\n\n',
    );
    expect(manifest('orders').name).toBe('orders');
    expect(readdirSync(path.join(cwd, 'orders')).toSorted()).toEqual([
      '.gitignore',
      'README.md',
      'orders.test.ts',
      'orders.ts',
      'package.json',
      'template.yaml',
      'tsconfig.json',
    ]);
  });

  it('takes SAM, DynamoDB and my-worker with --yes', async () => {
    expect(await new Terminal(cwd).run('--yes')).toBe(0);
    expect(existsSync(path.join(cwd, 'my-worker/template.yaml'))).toBe(true);
    expect(manifest().dependencies).toEqual({ batchlatch: expect.any(String) });
  });

  it('takes --yes for what is not said, and what is said before it', async () => {
    expect(await new Terminal(cwd).run('--store', 'redis', '--yes')).toBe(0);
    expect(manifest().dependencies).toMatchObject({ ioredis: expect.any(String) });
  });

  it('writes into a folder of a folder, and into the folder that it is in', async () => {
    const nested = new Terminal(cwd);
    expect(await nested.run('jobs by night/mail', '--yes')).toBe(0);
    expect(nested.shown).toContain('  cd "jobs by night/mail"\n');
    expect(manifest('jobs by night/mail').name).toBe('mail');

    const here = path.join(cwd, 'here');
    mkdirSync(here);
    const terminal = new Terminal(here);
    expect(await terminal.run('.', '--yes')).toBe(0);
    expect(terminal.shown).toContain('Next:\n\n  npm install\n  npm test\n');
    expect(manifest('here').name).toBe('here');
  });

  it('prints JSON alone with --json', async () => {
    const terminal = new Terminal(cwd);
    expect(await terminal.run('mail', '--deploy', 'ecs', '--store', 'postgres', '--json')).toBe(0);
    expect(JSON.parse(terminal.shown)).toEqual({
      folder: path.join(cwd, 'mail'),
      deploy: 'ecs',
      store: 'postgres',
      files: readdirSync(path.join(cwd, 'mail')).toSorted(),
      next: ['cd mail', 'npm install', 'npm test'],
    });
  });

  it.each([
    ['pnpm/10.2.0 npm/? node/v22.14.0 linux x64', 'pnpm install', 'pnpm run test', 'pnpm-lock.yaml'],
    ['yarn/1.22.22 npm/? node/v22.14.0 linux x64', 'yarn install', 'yarn run test', 'yarn.lock'],
    ['bun/1.2.5 npm/? node/v22.6.0 linux x64', 'bun install', 'bun run test', 'bun.lock'],
    ['npm/11.4.1 node/v22.14.0 linux x64', 'npm install', 'npm test', 'package-lock.json'],
    ['deno/2.0.0', 'npm install', 'npm test', 'package-lock.json'],
  ])(
    'shows the commands of the package manager that started it: %s',
    async (agent, install, test, lockFile) => {
      const terminal = new Terminal(cwd, { env: { npm_config_user_agent: agent } });
      expect(await terminal.run('mail', '--deploy', 'ecs', '--store', 'dynamodb')).toBe(0);
      expect(terminal.shown).toContain(`  cd mail\n  ${install}\n  ${test}\n`);
      expect(read('mail', 'README.md')).toContain(`${install}\n${test} `);
      expect(read('mail', 'Dockerfile')).toContain(`COPY package.json ${lockFile} ./\n`);
    },
  );

  it.each([
    ['sam', '  esbuild: true\n'],
    ['serverless', '  esbuild: true\n  serverless: true\n'],
  ])(
    'lets pnpm run the install scripts of a project for %s, without which it fails',
    async (deploy, built) => {
      const terminal = new Terminal(cwd, { env: PNPM });
      expect(await terminal.run('mail', '--deploy', deploy, '--store', 'dynamodb')).toBe(0);
      const settings = read('mail', 'pnpm-workspace.yaml');
      expect(settings).toBe(`packages: ['.']\nallowBuilds: # else \`pnpm install\` fails\n${built}`);
    },
  );

  it('leaves that to a workspace of pnpm that the project is in', async () => {
    writeFileSync(path.join(cwd, 'pnpm-workspace.yaml'), "packages: ['jobs/*']\n");
    expect(await new Terminal(cwd, { env: PNPM }).run('jobs/mail', '--yes')).toBe(0);
    expect(existsSync(path.join(cwd, 'jobs/mail/pnpm-workspace.yaml'))).toBe(false);
  });
});

describe('create-batchlatch with a person before it', () => {
  it('asks for the folder, the deployment and the store', async () => {
    const terminal = new Terminal(cwd, { isTTY: true });
    const ended = terminal.run();
    await terminal.answer('Which folder?', 'mail', KEYS.enter);
    await terminal.answer('How is it deployed?', KEYS.down, KEYS.down, KEYS.enter);
    await terminal.answer('Where are claims kept?', KEYS.down, KEYS.enter);
    expect(await ended).toBe(0);
    expect(terminal.shown).toContain('into mail: Terraform, claims in PostgreSQL.');
    expect(existsSync(path.join(cwd, 'mail/main.tf'))).toBe(true);
  });

  it('takes the defaults where Enter is pressed', async () => {
    const terminal = new Terminal(cwd, { isTTY: true });
    const ended = terminal.run();
    await terminal.answer('Which folder?', KEYS.enter);
    await terminal.answer('How is it deployed?', KEYS.enter);
    await terminal.answer('Where are claims kept?', KEYS.enter);
    expect(await ended).toBe(0);
    expect(terminal.shown).toContain('into my-worker: AWS SAM, claims in DynamoDB.');
  });

  it('asks only for what was not said', async () => {
    const terminal = new Terminal(cwd, { isTTY: true });
    const ended = terminal.run('mail', '--deploy', 'cdk');
    await terminal.answer('Where are claims kept?', KEYS.enter);
    expect(await ended).toBe(0);
    expect(terminal.shown).not.toContain('How is it deployed?');
  });

  it('asks again for the folder where it cannot be taken', async () => {
    mkdirSync(path.join(cwd, 'old'));
    writeFileSync(path.join(cwd, 'old/notes.txt'), 'mine');
    const terminal = new Terminal(cwd, { isTTY: true });
    const ended = terminal.run('--deploy', 'sam', '--store', 'dynamodb');
    await terminal.answer('Which folder?', 'old', KEYS.enter);
    await terminal.answer('old is not empty: it has notes.txt', 'er', KEYS.enter);
    expect(await ended).toBe(0);
    expect(readdirSync(cwd).toSorted()).toEqual(['old', 'older']);
  });

  it('writes nothing where Ctrl-C is pressed', async () => {
    const terminal = new Terminal(cwd, { isTTY: true });
    const ended = terminal.run('mail');
    await terminal.answer('How is it deployed?', KEYS.ctrlC);
    expect(await ended).toBe(130);
    expect(terminal.errors).toBe('Error: Stopped. Nothing was written.\n');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('says that the folder cannot be taken before it asks anything', async () => {
    writeFileSync(path.join(cwd, 'mail'), '');
    const terminal = new Terminal(cwd, { isTTY: true });
    expect(await terminal.run('mail')).toBe(1);
    expect(terminal.errors).toContain('mail is not a folder. Nothing was written; choose another one');
    expect(terminal.shown).toBe('');
  });

  it('says so of a link to a folder that is gone', async () => {
    symlinkSync(path.join(cwd, 'gone'), path.join(cwd, 'mail'), 'junction');
    const terminal = new Terminal(cwd, { isTTY: true });
    expect(await terminal.run('mail')).toBe(1);
    expect(terminal.errors).toContain('mail is a link to nothing. Nothing was written; remove it');
  });
});

describe('create-batchlatch without a terminal', () => {
  it.each([
    [[], 'add a folder and --deploy and --store'],
    [['mail', '--store', 'redis'], 'add --deploy, or --yes'],
    [['--deploy', 'sam', '--store', 'redis'], 'add a folder, or --yes'],
  ])('says what is missing, with an example: %j', async (argv, missing) => {
    const terminal = new Terminal(cwd);
    expect(await terminal.run(...argv)).toBe(2);
    expect(terminal.errors).toContain(`There is no terminal to ask on: ${missing}`);
    expect(terminal.errors).toContain(
      '\n  npm create batchlatch@latest my-worker -- --deploy sam --store dynamodb\n',
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('asks nothing with --json, on a terminal either', async () => {
    const terminal = new Terminal(cwd, { isTTY: true });
    expect(await terminal.run('mail', '--json')).toBe(2);
    expect(terminal.errors).toContain('--json asks nothing: add --deploy and --store, or --yes');
  });
});

it('create-batchlatch writes into a folder in which git init has run', async () => {
  mkdirSync(path.join(cwd, 'mail/.git'), { recursive: true });
  expect(await new Terminal(cwd).run('mail', '--yes')).toBe(0);
  expect(readdirSync(path.join(cwd, 'mail'))).toContain('package.json');
});

describe('create-batchlatch refuses', () => {
  it('a folder that is not empty: it names what is there, and changes nothing', async () => {
    const old = path.join(cwd, 'mail');
    mkdirSync(old);
    const names = ['.git', 'README.md', 'a.ts', 'b.ts', 'c.ts', 'd.ts', 'package.json'];
    for (const name of names) writeFileSync(path.join(old, name), 'mine');
    const terminal = new Terminal(cwd);
    expect(await terminal.run('mail', '--yes')).toBe(1);
    expect(terminal.errors).toBe(
      'Error: mail is not empty: it has README.md, a.ts, b.ts, c.ts, d.ts and 1 more. Nothing was written; choose another folder\n',
    );
    expect(readdirSync(old).toSorted()).toEqual(names);
    expect(names.map((name) => read('mail', name))).toEqual(names.map(() => 'mine'));
  });

  it.each([
    ['', 'Expected the name of a folder'],
    ['Mail', 'got `Mail`'],
    ['1mail', 'got `1mail`'],
    ['my_mail', 'got `my_mail`'],
    ['mail.v2', 'got `mail.v2`'],
    ['x'.repeat(41), 'at most 40 lower-case letters'],
    ['batchlatch', '`batchlatch` is a package that the project depends on'],
    ['ioredis', '`ioredis` is a package that the project depends on'],
  ])('a name that is wrong for a package, a stack or a function: %s', async (name, why) => {
    const terminal = new Terminal(cwd);
    expect(await terminal.run(name, '--yes')).toBe(2);
    expect(terminal.errors).toContain(why);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each([
    [['mail', '--deploy', 'pulumi'], "argument 'pulumi' is invalid"],
    [['mail', '--stor', 'redis'], 'Did you mean --store?'],
    [['mail', 'box'], 'too many arguments'],
  ])('what it does not know: %j', async (argv, why) => {
    const terminal = new Terminal(cwd);
    expect(await terminal.run(...argv)).toBe(2);
    expect(terminal.errors).toContain(why);
    expect(terminal.errors).toContain('Add --help to see how it is used.');
  });
});

it('`create-batchlatch --help` has examples, and `--version` the version of the library', async () => {
  const help = new Terminal(cwd);
  expect(await help.run('--help')).toBe(0);
  expect(help.shown).toContain('npm create batchlatch@latest my-worker -- --yes');
  const version = new Terminal(cwd);
  expect(await version.run('--version')).toBe(0);
  const library = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(version.shown).toBe(`${library.version}\n`);
});
