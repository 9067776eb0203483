import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runCommand as runBatchlatch } from '../../packages/cli/test/cli/run-command.ts';
import { sources } from '../../packages/cli/test/dev/dev-function.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
import { samLocal } from './support/sam-cli.ts';

const TEMPLATE = `
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Parameters:
  Stage: { Type: String, Default: dev }
Globals:
  Function: { Runtime: nodejs22.x, Architectures: [x86_64], CodeUri: code, Timeout: 2 }
Resources:
  Echo:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.echo
      Environment: { Variables: { STAGE: !Ref Stage, WORD: template, OTHER: template } }
  Text: { Type: AWS::Serverless::Function, Properties: { Handler: app.text } }
  Fails: { Type: AWS::Serverless::Function, Properties: { Handler: app.fails } }
  Exits: { Type: AWS::Serverless::Function, Properties: { Handler: app.exits } }
  Hangs: { Type: AWS::Serverless::Function, Properties: { Handler: app.hangs } }
`;
const CODE = `
exports.echo = async (event, context) => {
  console.log('printed');
  const { STAGE, WORD, OTHER, AWS_REGION, AWS_LAMBDA_FUNCTION_VERSION, AWS_LAMBDA_FUNCTION_MEMORY_SIZE } = process.env;
  const { functionVersion, memoryLimitInMB } = context;
  const environment = { STAGE, WORD, OTHER, AWS_REGION, AWS_LAMBDA_FUNCTION_VERSION, AWS_LAMBDA_FUNCTION_MEMORY_SIZE };
  return { event, environment, functionVersion, memoryLimitInMB, remains: context.getRemainingTimeInMillis() > 0 };
};
exports.text = async () => 'a\\nb "q" \\u00e9';
exports.fails = async () => { throw new TypeError('no such order'); };
exports.exits = async () => process.exit(3);
exports.hangs = () => new Promise((resolve) => setTimeout(resolve, 60_000));
`;

const EVENT = 'examples/orders/events/sqs-batch.json';
const CASES = ['Echo', 'Text', 'Fails', 'Exits', 'Hangs'] as const;

describeWith([samLocal], '`batchlatch invoke` beside `sam local invoke`', () => {
  let code: { folder: string; remove(): Promise<void> };
  const inFolder = (name: string): string => path.join(code.folder, name);
  beforeAll(async () => {
    await samLocal.install();
    code = await sources({
      'template.yaml': TEMPLATE,
      'env.json': JSON.stringify({ Parameters: { WORD: 'all', OTHER: 'all' }, Echo: { WORD: 'mine' } }),
      // One after the other: the container engine is started once for all. Twice if need be: on a busy machine SAM CLI sometimes
      // fails because Podman no longer knows the container that is to be removed.
      'invoke-all.sh': `set -e; out=$1; shift; once() { sam local invoke "$@" >$out/$1.out; }; for name in ${CASES.join(' ')}; do once $name "$@" || once $name "$@"; done`,
    });
    await mkdir(inFolder('code'));
    await writeFile(inFolder('code/app.js'), CODE);
    await runCommand(
      'scripts/sam-local.sh',
      ['run', 'bash', inFolder('invoke-all.sh'), code.folder, ...givenTo()],
      { timeoutMs: INSTALL_TIMEOUT_MS },
    );
  }, INSTALL_TIMEOUT_MS * 2);
  afterAll(() => code.remove());

  /** The same for both. */
  const givenTo = (): readonly string[] => [
    '--template',
    inFolder('template.yaml'),
    '--event',
    EVENT,
    '--env-vars',
    inFolder('env.json'),
    '--parameter-overrides',
    'Stage=prod',
  ];

  it.each(CASES)('prints the same for %s, with the same exit status', async (name) => {
    const sam = comparable(await readFile(inFolder(`${name}.out`), 'utf8'));
    const { out, status } = await runBatchlatch(['invoke', name, ...givenTo()]);
    expect(status).toBe(0); // sam's is 0 too, or the script would have ended
    expect(out === '' || out.endsWith('\n')).toBe(true);
    expect(comparable(out)).toEqual(sam);
    if (name === 'Echo') {
      expect(sam).toMatchObject({
        event: JSON.parse(await readFile(EVENT, 'utf8')) as unknown,
        environment: { STAGE: 'prod', WORD: 'mine', OTHER: 'all' },
      });
    }
  });
});

/** Their own request ids and places in their own files differ, and sam writes spaces. */
function comparable(printed: string): unknown {
  if (printed.trim() === '') return 'nothing';
  return JSON.parse(printed, (name, value: unknown) => {
    if (name === 'trace') return (value as string[])[0];
    if (name === 'errorMessage') return String(value).replace(/RequestId: \S+/, 'RequestId: ID');
    return value;
  });
}
