import { cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
import { runFolder, sam, samCli } from './support/sam-cli.ts';

const COPIED = [
  'examples',
  'scripts',
  'src',
  'package.json',
  'samconfig.toml',
  'template.yaml',
  'tsconfig.json',
];

describeWith([samCli], 'a checkout in a folder called `it\'s $HOME "here" (1)`', () => {
  let checkout: string;
  let temporary: string;
  beforeAll(async () => {
    await samCli.install();
    const parent = await mkdtemp(join(runFolder(), 'checkout-'));
    checkout = join(parent, `it's $HOME "here" (1)`);
    temporary = join(parent, `it's "temporary"`);
    for (const part of COPIED) await cp(part, join(checkout, part), { recursive: true });
    await symlink(resolve('node_modules'), join(checkout, 'node_modules'));
    await mkdir(temporary);
  }, INSTALL_TIMEOUT_MS);

  it('expands its template, and leaves no temporary files behind', async () => {
    const options = { cwd: temporary, env: { TMPDIR: temporary } };
    const expanded = await runCommand(join(checkout, 'scripts', 'sam.sh'), ['expand'], options);
    expect(JSON.parse(expanded)).toHaveProperty('Resources.OrdersFunction');
    expect(await readdir(temporary)).toEqual([]);
  });

  it('validates its template', async () => {
    const printed = await runCommand(join(checkout, 'scripts', 'sam.sh'), ['validate'], { cwd: temporary });
    expect(printed).toContain('is a valid SAM Template');
  });

  it('is built by plain `sam build`, whose esbuild is that of the checkout', async () => {
    const before = await readdir('node_modules');
    await sam(['build'], { cwd: checkout, env: { PATH: pathWithoutPackages() } });
    const built = join(checkout, '.aws-sam', 'build');
    expect(await readdir(join(built, 'OrdersFunction'))).toContain('orders-queue.mjs');
    expect(await readdir(join(built, 'OrderPlacedFunction'))).toContain('order-placed.mjs');
    expect(await readdir('node_modules')).toEqual(before);
  });
});

/** As in a terminal: npm puts the programs of packages on PATH for what it runs. */
function pathWithoutPackages(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => basename(folder) !== '.bin').join(delimiter);
}
