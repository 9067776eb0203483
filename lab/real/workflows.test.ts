import { copyFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { actionlint, actionlintBinary } from '../../test/support/components/actionlint.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
import { runFolder } from './support/sam-cli.ts';

const WORKFLOWS = '.github/workflows';

describeWith([actionlint], 'the workflows of GitHub', () => {
  let folder: string;
  let files: string[];
  const lint = async (): Promise<string> =>
    runCommand(
      await actionlintBinary(),
      files.map((file) => join(folder, file)),
    );

  beforeAll(async () => {
    await actionlint.install();
    folder = await mkdtemp(join(runFolder(), 'workflows-'));
    files = await readdir(WORKFLOWS);
    for (const file of files) await copyFile(join(WORKFLOWS, file), join(folder, file));
  }, INSTALL_TIMEOUT_MS);

  it('have no mistakes that actionlint sees', async () => {
    expect(files.length).toBeGreaterThan(1);
    expect(await lint()).toBe('');
  });

  it('would be seen to have one: an output that no step gives', async () => {
    const file = join(folder, 'release.yml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('needs.pack.outputs.is-new', 'needs.pack.outputs.is-newer'));
    await expect(lint()).rejects.toThrow('property "is-newer" is not defined');
  });
});
