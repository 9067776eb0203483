import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sources } from '../dev/dev-function.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

const TEMPLATE = `
Transform: AWS::Serverless-2016-10-31
Parameters:
  Stage: { Type: String, Default: dev }
Globals:
  Function: { Runtime: nodejs22.x, CodeUri: ., Timeout: 1 }
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
      KeySchema: [{ AttributeName: id, KeyType: HASH }]
      BillingMode: PAY_PER_REQUEST
  Echo:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.echo
      Environment: { Variables: { STAGE: !Ref Stage, WORD: template } }
  Fails: { Type: AWS::Serverless::Function, Properties: { Handler: app.fails } }
  Hangs: { Type: AWS::Serverless::Function, Properties: { Handler: app.hangs } }
  Typed: { Type: AWS::Serverless::Function, Properties: { Handler: typed.handler } }
  Broken: { Type: AWS::Serverless::Function, Properties: { Handler: broken.handler } }
  Topic: { Type: AWS::SNS::Topic }
  Elsewhere: { Type: AWS::Serverless::Function, Properties: { Handler: app.echo, Runtime: python3.13 } }
  Incomplete:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.echo
      Layers: ["arn:aws:lambda:us-east-1:123456789012:layer:tools:1"]
      Environment: { Variables: { STAGE: "{{resolve:ssm:stage}}" } }
`;
const CODE = `
exports.echo = async (event) => {
  console.log('\\u001B[31mred');
  const { STAGE, WORD, AWS_ENDPOINT_URL_DYNAMODB } = process.env;
  return { event, STAGE, WORD, AWS_ENDPOINT_URL_DYNAMODB };
};
exports.fails = async () => { throw new TypeError('no such order'); };
exports.hangs = async () => { for (;;) {} };
`;

describe('batchlatch invoke', () => {
  let code: { folder: string; remove(): Promise<void> };
  beforeAll(async () => {
    code = await sources({
      'template.yaml': TEMPLATE,
      'app.js': CODE,
      'typed.ts': 'export const handler = async (event: { n: number }): Promise<number> => event.n * 2;',
      'broken.ts': 'export const handler = (;',
      'event.json': '{"n":21}',
      'bad.json': '{',
    });
  });
  afterAll(() => code.remove());

  const file = (name: string): string => path.join(code.folder, name);
  const invoke = (args: readonly string[], terminal?: Terminal): Promise<Ended> =>
    runCommand(['invoke', ...args, '-t', file('template.yaml')], terminal);

  it('prints the answer on standard output, and the log with what it is made of on standard error', async () => {
    await writeFile(
      file('env.json'),
      JSON.stringify({ Parameters: { WORD: 'all' }, Echo: { WORD: 'mine' } }),
    );
    const { status, out, err } = await invoke(
      ['Echo', '-e', file('event.json'), '-n', file('env.json'), '--parameter-overrides', 'Stage=prod'],
      { env: { AWS_ENDPOINT_URL: 'http://127.0.0.1:8000' } },
    );
    expect({ status, out }).toEqual({
      status: 0,
      out: `${JSON.stringify({ event: { n: 21 }, STAGE: 'prod', WORD: 'mine', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' })}\n`,
    });
    const id = '[0-9a-f-]{36}';
    expect(err.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^START RequestId: ${id} Version: \\$LATEST$`)),
      '\\u001B[31mred',
      expect.stringMatching(new RegExp(`^END RequestId: ${id}$`)),
      expect.stringMatching(
        new RegExp(
          `^REPORT RequestId: ${id}\tInit Duration: \\S+ ms\tDuration: \\S+ ms\tBilled Duration: \\d+ ms\tMemory Size: 128 MB$`,
        ),
      ),
      '',
    ]);
  });

  it('takes the event from standard input, or an empty one, and says where services are missing', async () => {
    const { out } = await invoke(['Typed', '--event', '-'], { input: '{"n":4}' });
    expect(out).toBe('8\n');
    const { out: empty, err } = await invoke(['Echo']);
    expect(JSON.parse(empty)).toMatchObject({
      event: {},
      STAGE: 'dev',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
    });
    expect(err).toContain('AWS_ENDPOINT_URL_DYNAMODB');
  });

  it('says what the function runs without, and what of the command line is not used', async () => {
    await writeFile(file('env.json'), JSON.stringify({ Nobody: { WORD: 'mine' } }));
    const args = ['-n', file('env.json'), '--parameter-overrides', 'Stagee=prod'];
    const notesOf = ({ err }: Ended): readonly string[] =>
      err.split('\n').filter((line) => line.startsWith('Note: '));
    const unused = [
      'Note: The value of Stagee is not used: the template has no such parameter.',
      'Note: The variables of Nobody are not used: the template has no such function.',
    ];
    const { status, out, err } = await invoke(['Incomplete', ...args]);
    expect({ status, ...(JSON.parse(out) as object) }).not.toHaveProperty('STAGE');
    expect(notesOf({ status, out, err })).toEqual([
      ...unused,
      'Note: Incomplete runs without STAGE: it is looked up when it is deployed ({{resolve:…}}). ' +
        'Give it a value with `--env-vars`, or its parameter with `--parameter-overrides`.',
      'Note: Incomplete runs without its layers.',
    ]);
    expect(notesOf(await invoke(['Echo', ...args]))).toEqual(unused);
  });

  it('prints an error in the shape of Lambda, and of a timeout nothing, with exit status 0', async () => {
    const failed = await invoke(['Fails']);
    expect(failed.status).toBe(0);
    expect(JSON.parse(failed.out)).toMatchObject({ errorType: 'TypeError', errorMessage: 'no such order' });
    const hung = await invoke(['Hangs']);
    expect(hung).toMatchObject({ status: 0, out: '' });
    expect(hung.err).toContain("Function 'Hangs' timed out after 1 seconds\n");
  });

  it.each([
    [
      ['Nobody'],
      1,
      'The template has no function Nobody that runs here; it has Echo, Fails, Hangs, Typed, Broken, Incomplete.',
    ],
    [['Elsewhere'], 1, 'Elsewhere does not run here: its runtime is python3.13, and only'],
    [[], 1, 'Say which function: Echo, Fails, Hangs, Typed, Broken, Incomplete.'],
    [['Echo', '-e', 'nothing.json'], 2, 'The file nothing.json of --event does not exist: check the path.'],
    [['Echo', '-e', 'bad.json'], 2, 'bad.json is not JSON:'],
    [['Echo', '-n', 'bad.json'], 2, 'bad.json of --env-vars cannot be read:'],
    [['Echo', '--parameter-overrides', 'Stage'], 2, 'Give Name=value.'],
    [['Broken'], 1, 'The function Broken cannot be built:'],
  ])('says what is wrong with %j', async (args, status, message) => {
    const ended = await invoke(args.map((arg) => (arg === 'bad.json' ? file(arg) : arg)));
    expect(ended).toMatchObject({ status, out: '' });
    expect(ended.err).toContain(message);
  });
});
