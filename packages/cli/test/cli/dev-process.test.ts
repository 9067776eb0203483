import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { until } from '../../../../test/support/until.ts';
import { sources } from '../dev/dev-function.ts';

const TEMPLATE = `
Resources:
  Hello:
    Type: AWS::Lambda::Function
    Properties: { Code: ., Handler: hello.handler, Runtime: nodejs22.x }
  HelloUrl:
    Type: AWS::Lambda::Url
    Properties: { TargetFunctionArn: !Ref Hello, AuthType: NONE }
`;

it('batchlatch dev ends everything when the reader of its output has gone', async () => {
  const code = await sources({
    'template.yaml': TEMPLATE,
    'hello.js': 'exports.handler = async () => "hello";',
  });
  const temporary = path.join(code.folder, 'tmp');
  await mkdir(temporary);
  const template = path.join(code.folder, 'template.yaml');
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'packages/cli/src/cli/batchlatch.ts', 'dev', '-t', template, '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: temporary } },
  );
  try {
    const exit = once(child, 'exit');
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    await until('it is ready', () => /"type":"ready".*\n/.test(out));
    const [, url = ''] = /"http":\{"HelloUrl":"([^"]+)"/.exec(out) ?? [];
    expect(await made(temporary)).toHaveLength(1);
    child.stdout.destroy();
    // The line of each request meets the closed pipe.
    expect(await (await fetch(url)).text()).toBe('hello');
    expect(await exit).toEqual([130, null]);
    expect(await made(temporary)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await code.remove();
  }
});

async function made(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('batchlatch-'));
}
