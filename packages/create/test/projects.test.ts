import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { runCommand } from '../../../test/support/components/run-command.ts';
import { type Deployment, DEPLOYMENTS, type Store, STORES } from '../src/answers.ts';
import {
  EVERY_ANSWER,
  EVERY_DEPLOYMENT,
  filesOf,
  keysOf,
  nameOf,
  writeEveryProject,
} from './support/every-answer.ts';
import { doctorTemplate, ROOT, sourcePaths } from './support/repository.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-projects-'));
  writeEveryProject(folder);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (deploy: Deployment, store: Store, name: string): string =>
  filesOf(deploy, store).get(name) ?? '';

describe('A generated project', () => {
  it.each(EVERY_ANSWER)(
    'for %s and %s has at most ten files, and nothing is left to fill in',
    (deploy, store) => {
      const files = filesOf(deploy, store);
      expect(files.size).toBeLessThanOrEqual(10);
      for (const [name, text] of files) {
        expect([name, text]).not.toEqual([name, expect.stringMatching(/\{\{|my-worker|undefined/)]);
        expect([name, text.endsWith('\n') && !text.includes('\n\n\n')]).toEqual([name, true]);
      }
      expect(files.get('README.md')).toContain(`# ${nameOf(deploy, store)}\n`);
    },
  );

  it.concurrent.each(keysOf(STORES))('passes its own tests with claims in %s', async (store) => {
    // The same files for every deployment.
    for (const name of ['orders.ts', 'orders.test.ts']) {
      const texts = keysOf(DEPLOYMENTS).map((deploy) =>
        fileOf(deploy, store, name).replaceAll(nameOf(deploy, store), 'name'),
      );
      expect(new Set(texts).size).toBe(1);
    }
    const config = path.join(folder, `${store}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions: { paths: sourcePaths() } }));
    const test = path.join(folder, nameOf('sam', store), 'orders.test.ts');
    const args = ['--import', 'tsx', '--test', '--test-reporter=tap', test];
    const ran = runCommand(process.execPath, args, {
      cwd: ROOT,
      env: { TSX_TSCONFIG_PATH: config, NODE_OPTIONS: '' },
    });
    await expect(ran).resolves.toMatch(/^# pass 2$[^]*^# fail 0$/m);
  });

  it("has a configuration of SST with the names and types of SST's own", async () => {
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--target',
      'es2023',
      '--types',
      '',
      '--pretty',
      'false',
    ];
    for (const store of ['dynamodb', 'postgres'] as const) {
      const project = path.join(folder, nameOf('sst', store));
      mkdirSync(path.join(project, '.sst/platform'), { recursive: true });
      copyFileSync(
        path.join(import.meta.dirname, 'support/sst.d.ts'),
        path.join(project, '.sst/platform/config.d.ts'),
      );
      const config = path.join(project, 'sst.config.ts');
      await expect(runCommand(process.execPath, [tsc, ...options, config])).resolves.toBe('');
    }
  });

  it('uses the versions that this repository is tested with', () => {
    const ours = new Map<string, string>();
    for (const manifest of [
      'package.json',
      'examples/package.json',
      'packages/cdk/package.json',
      'packages/cli/package.json',
    ]) {
      for (const [name, range] of versionsIn(manifest)) ours.set(name, range);
    }
    const theirs = EVERY_ANSWER.flatMap((answers) => versionsOf(fileOf(...answers, 'package.json')));
    const compared = theirs.filter(([name]) => ours.has(name));
    expect(new Set(compared.map(([name]) => name)).size).toBeGreaterThan(7);
    expect(compared.filter(([name, range]) => ours.get(name) !== range)).toEqual([]);
  });
});

describe('What a generated project deploys', () => {
  it.each([
    ['sam', 'dynamodb', 'template.yaml', 5],
    ['sam', 'postgres', 'template.yaml', 4],
    ['ecs', 'dynamodb', 'service.yaml', 1],
    ['ecs', 'postgres', 'service.yaml', 0], // of queues without a function it says nothing
  ] as const)('by %s with %s is right for doctor', (deploy, store, file, lookedAt) => {
    const { findings, checked } = doctorTemplate({ file, text: fileOf(deploy, store, file) });
    expect(findings).toEqual([]);
    expect(checked).toHaveLength(lookedAt);
  });

  it.each(EVERY_DEPLOYMENT.filter(([deploy]) => deploy === 'serverless'))(
    'by %s with %s is right for doctor',
    (deploy, store) => {
      const text = fileOf(deploy, store, 'serverless.yml');
      const { findings, checked } = doctorTemplate({ file: 'serverless.yml', text: compiled(text) });
      expect(findings).toEqual([]);
      expect(checked.length).toBeGreaterThan(3);
    },
  );

  it.each(EVERY_DEPLOYMENT.filter(([deploy]) => deploy !== 'ecs' && deploy !== 'cdk'))(
    'by %s with %s has a visibility timeout of six timeouts, five receives, and partial answers',
    (deploy, store) => {
      const infrastructure = [...filesOf(deploy, store)]
        .filter(([name]) => /\.(tf|ya?ml|config\.ts)$/.test(name))
        .map(([, text]) => text)
        .join('\n');
      expect(infrastructure).toMatch(
        /\bTimeout: 30\b|\btimeout: 30\b|\btimeout += 30\b|timeout: '30 seconds'/,
      );
      expect(infrastructure).toMatch(
        /VisibilityTimeout: 180|visibility_timeout_seconds = 180|visibilityTimeout: '180 seconds'/,
      );
      expect(infrastructure).toMatch(/maxReceiveCount(:| =) 5|retry: 5/);
      expect(infrastructure).toMatch(/ReportBatchItemFailures|partialResponses: true/);
      const isTable = store === 'dynamodb';
      expect([
        isTable,
        infrastructure.includes('expiresAt'),
        infrastructure.includes('PartiQLInsert'),
      ]).toEqual([isTable, isTable, isTable]);
      expect(/\bdynamodb:\*|sqs:\*/.test(infrastructure)).toBe(false);
    },
  );
});

/**
 * The template that the Serverless Framework makes of `serverless.yml`, as far as doctor looks at it: the role has the statements for the
 * queue and the log beside those that are given.
 */
function compiled(text: string): string {
  const tags = ['!Ref', '!GetAtt'].map((tag) => ({
    tag,
    resolve: (value: string) => (tag === '!Ref' ? { Ref: value } : { 'Fn::GetAtt': value.split('.') }),
  }));
  const { provider, functions, resources } = parse(text, { customTags: tags }) as {
    provider: {
      runtime: string;
      timeout: number;
      memorySize: number;
      environment: object;
      iam?: { role: { statements: readonly object[] } };
    };
    functions: {
      orders: { handler: string; events: readonly [{ sqs: { arn: object; functionResponseType: string } }] };
    };
    resources: { Resources: object };
  };
  const { sqs } = functions.orders.events[0];
  const Statement = [
    ...(provider.iam?.role.statements ?? []),
    {
      Effect: 'Allow',
      Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      Resource: [sqs.arn],
    },
  ];
  return JSON.stringify({
    Resources: {
      ...resources.Resources,
      OrdersLambdaFunction: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Handler: functions.orders.handler,
          Runtime: provider.runtime,
          MemorySize: provider.memorySize,
          Timeout: provider.timeout,
          Environment: { Variables: provider.environment },
          Role: { 'Fn::GetAtt': ['IamRoleLambdaExecution', 'Arn'] },
          Code: { S3Bucket: 'bucket', S3Key: 'key' },
        },
      },
      IamRoleLambdaExecution: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: {
            Statement: [
              { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
            ],
          },
          Policies: [{ PolicyName: 'orders', PolicyDocument: { Statement } }],
        },
      },
      OrdersEventSourceMappingSQSOrdersQueue: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: sqs.arn,
          FunctionName: { 'Fn::GetAtt': ['OrdersLambdaFunction', 'Arn'] },
          FunctionResponseTypes: [sqs.functionResponseType],
        },
      },
    },
  });
}

function versionsIn(manifest: string): readonly (readonly [string, string])[] {
  try {
    return versionsOf(readFileSync(path.join(ROOT, manifest), 'utf8'));
  } catch {
    return []; // not a package yet
  }
}

function versionsOf(text: string): readonly (readonly [string, string])[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as {
    dependencies?: Readonly<Record<string, string>>;
    devDependencies?: Readonly<Record<string, string>>;
  };
  return Object.entries({ ...dependencies, ...devDependencies });
}
