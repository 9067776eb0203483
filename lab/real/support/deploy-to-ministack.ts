import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emulatorClientConfig } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { parseTemplate, resourcesOf, withDefaults } from '../../../test/sam/read-template.ts';
import { sam } from './sam-cli.ts';

/** Deploys what was built into a folder with `sam deploy`, and gives the outputs of the stack. */
export async function deployToMinistack(
  cloud: LocalService,
  folder: string,
  stack: string,
): Promise<Readonly<Record<string, string>>> {
  const env = {
    AWS_ENDPOINT_URL: cloud.endpoint,
    AWS_ACCESS_KEY_ID: emulatorClientConfig.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: emulatorClientConfig.credentials.secretAccessKey,
  };
  const template = ['--template-file', await templateForMinistack(folder)];
  const quietly = ['--no-confirm-changeset', '--no-progressbar'];
  await sam(['deploy', ...template, '--stack-name', stack, '--resolve-s3', ...quietly], { env });
  const listed = await sam(['list', 'stack-outputs', '--stack-name', stack, '--output', 'json'], { env });
  const pairs = JSON.parse(listed) as { OutputKey: string; OutputValue: string }[];
  return Object.fromEntries(pairs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/**
 * The template as MiniStack takes it: it has no metric math, and hands the value of a number parameter on as text, by which
 * its pollers stop.
 */
async function templateForMinistack(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'template.yaml'), 'utf8');
  const template = withDefaults(parseTemplate(text)) as { Resources: Record<string, unknown> };
  const resources = { ...template.Resources };
  const computed = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(([, of]) => 'Metrics' in of);
  for (const [name] of computed) delete resources[name];
  const names = computed.map(([name]) => name).join('|');
  const json = JSON.stringify({ ...template, Resources: resources });
  const file = join(folder, 'for-ministack.json');
  // In the dashboard's text, which is JSON in JSON.
  const shown = new RegExp(String.raw`,(?:\\n|\s)*\\"\$\{(?:${names})\.Arn\}\\"`, 'g');
  await writeFile(file, names === '' ? json : json.replaceAll(shown, ''));
  return file;
}
