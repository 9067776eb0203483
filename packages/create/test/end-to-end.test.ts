import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { createClaimsTable, emulatorClient } from '../../../test/support/claims-table.ts';
import { until } from '../../../test/support/until.ts';
import type { Deployment, Store } from '../src/answers.ts';
import { type Answer, EVERY_ANSWER, EVERY_DEPLOYMENT, nameOf } from './support/every-answer.ts';
import { create, pack, type Packed, withTarballs } from './support/packed.ts';
import {
  doctorTemplate,
  emulatorClientConfig,
  emulatorEnvironment,
  type LocalService,
  startDynamoDBEmulator,
  startSqsEmulator,
} from './support/repository.ts';
import { node, npm, Running } from './support/run.ts';

/** From nothing to a first completed record: a minute. Beside other steps of CI it takes longer, so those say how long it may. */
const WITHIN_MS = 1_000 * Number(process.env['FIRST_RECORD_WITHIN_S'] ?? 60);

let folder: string;
let packed: Packed;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-create-'));
  packed = await pack(folder);
});
// Many thousands of files: several at a time.
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

it('`create-batchlatch` is one package without dependencies', () => {
  const modules = path.join(packed.home, 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['create-batchlatch']);
});

describe('The first project of a person', () => {
  let project: string;
  let running: Running | undefined;
  beforeAll(() => {
    project = path.join(folder, 'my-worker');
  });
  afterAll(() => running?.stop());

  it('has completed a record within a minute', async () => {
    const started = performance.now();
    await create(packed, folder, { name: 'my-worker', deploy: 'sam', store: 'dynamodb' });
    withTarballs(project, packed);
    await npm(['install'], project);
    expect(await npm(['test'], project)).toMatch(PASSED);
    report('alone: sam, dynamodb', performance.now() - started);
    expect(performance.now() - started).toBeLessThan(WITHIN_MS);
  });

  it('runs its template on this machine: a message of the queue is completed', async () => {
    running = new Running('start', project);
    const exported = /^export (.+)$/gm;
    await until(
      'it has started',
      () => /CLAIMS_TABLE_NAME=/.test(running?.output ?? '') || running?.hasEnded === true,
    );
    const variables = [...running.output.matchAll(exported)].flatMap(([, line = '']) => line.split(' '));
    const env = Object.fromEntries(variables.map((variable) => variable.split('=') as [string, string]));
    writeFileSync(path.join(project, 'orders.jsonl'), '{ "orderId": "7", "amountCents": 500 }\n');
    await npm(['exec', '--', 'batchlatch', 'send', 'orders.jsonl', '--queue', 'OrdersQueue'], project, env);
    await until('the order is charged', () => /OrdersFunction +7 +completed/.test(running?.output ?? ''));
    await running.stop();
  });

  it('is right for doctor', async () => {
    const said = await npm(['exec', '--', 'batchlatch', 'doctor', '--template', 'template.yaml'], project);
    expect(said).toContain('0 errors, 0 warnings');
  });
});

describe('A project', () => {
  const projectOf = (deploy: Deployment, store: Store): string =>
    path.join(folder, 'projects', nameOf(deploy, store));
  const created = new Map<string, number>();
  beforeAll(async () => {
    const projects = path.join(folder, 'projects');
    mkdirSync(projects);
    await fewAtATime.map(EVERY_ANSWER, async ([deploy, store]) => {
      const name = nameOf(deploy, store);
      created.set(name, await create(packed, projects, { name, deploy, store }));
      withTarballs(path.join(projects, name), packed);
    });
    const root = { private: true, workspaces: EVERY_ANSWER.map((answers) => nameOf(...answers)) };
    writeFileSync(path.join(projects, 'package.json'), JSON.stringify(root));
    const started = performance.now();
    await npm(['install'], projects);
    report('installation of all of them', performance.now() - started);
  });

  const tested = startedTogether(EVERY_ANSWER, async ([deploy, store]) => {
    const started = performance.now();
    const output = await npm(['test'], projectOf(deploy, store));
    return { output, took: (created.get(nameOf(deploy, store)) ?? 0) + (performance.now() - started) };
  });
  it.each(EVERY_ANSWER)('for %s with claims in %s has completed records in its tests', async (...answers) => {
    const { output, took } = await tested(answers);
    expect(output).toMatch(PASSED);
    report(`${answers.join(', ')}, without the installation`, took);
    expect(took).toBeLessThan(WITHIN_MS);
  });

  const compiled = startedTogether(EVERY_ANSWER, ([deploy, store]) =>
    node([path.join(folder, 'projects/node_modules/typescript/bin/tsc')], projectOf(deploy, store)),
  );
  it.each(EVERY_ANSWER)('for %s with claims in %s has types that are right', async (...answers) => {
    expect(await compiled(answers)).toBe('');
  });

  const withCdk = EVERY_DEPLOYMENT.filter(([deploy]) => deploy === 'cdk');
  const synthesised = startedTogether(withCdk, ([deploy, store]) =>
    npm(['exec', '--', 'cdk', 'synth', '--quiet', '--no-notices'], projectOf(deploy, store)),
  );
  it('for CDK have a command that deploys an app, as the quick start shows it', async () => {
    const [deploy = 'cdk', store = 'dynamodb'] = withCdk[0] ?? [];
    const help = await npm(['exec', '--', 'cdk', 'deploy', '--help'], projectOf(deploy, store));
    expect(help).toMatch(/^ +--app, -a /m);
  });

  it.each(withCdk)(
    'for %s with claims in %s makes a template that is right for doctor',
    async (...answers) => {
      await synthesised(answers);
      const file = path.join(projectOf(...answers), `cdk.out/${nameOf(...answers)}.template.json`);
      const { findings, checked } = doctorTemplate({ file, text: readFileSync(file, 'utf8') });
      expect(findings).toEqual([]);
      expect(checked.length).toBeGreaterThan(3);
    },
  );

  const withBundle = EVERY_ANSWER.filter(([deploy]) => deploy === 'terraform');
  const bundled = startedTogether(withBundle, async ([deploy, store]) => {
    const project = projectOf(deploy, store);
    await npm(['run', 'build'], project);
    // As it is in its archive: alone, without the package.json that says what kind of module it is.
    const alone = path.join(folder, `alone-${store}`);
    mkdirSync(alone);
    copyFileSync(path.join(project, 'build/orders.js'), path.join(alone, 'orders.js'));
    return node(['--eval', 'console.log(typeof require("./orders.js").handler)'], alone);
  });
  it.each(withBundle)('for %s with claims in %s makes a bundle that Lambda can load', async (...answers) => {
    expect(await bundled(answers)).toBe('function\n');
  });
});

describe('The worker of a project for ECS', () => {
  const services: LocalService[] = [];
  let running: Running | undefined;
  afterAll(async () => {
    await running?.stop();
    for (const service of services) await service.stop();
  });

  it('completes a message of its queue, and stops when it is told to', async () => {
    const [tables, queues] = [await startDynamoDBEmulator(), await startSqsEmulator()];
    services.push(tables, queues);
    const dynamoDB = emulatorClient(tables.endpoint);
    const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: queues.endpoint });
    const tableName = await createClaimsTable(dynamoDB);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"orderId":"7","amountCents":500}' }));

    running = new Running('start', path.join(folder, 'projects', nameOf('ecs', 'dynamodb')), {
      ...emulatorEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
      CLAIMS_TABLE_NAME: tableName,
      QUEUE_URL: QueueUrl ?? '',
      HEALTH_PORT: '0',
    });
    const isCompleted = async (): Promise<boolean> => {
      const { Items = [] } = await dynamoDB.send(new ScanCommand({ TableName: tableName }));
      return Items.some(({ status }) => status?.S?.startsWith('COMPLETED'));
    };
    await until('its claim is completed', isCompleted);
    await running.stop();
    if (process.platform !== 'win32') expect(running.output).toContain('Worker: stopped');
    dynamoDB.destroy();
    sqs.destroy();
  });
});

const PASSED = /^. ?(tests|pass) 2$[^]*^. fail 0$/m;

/** Two processes wait for files and for one another half of the time. */
const fewAtATime = pLimit(4);

/** Starts the work for all answers when the first of its tests asks for its own. Returns what asks. */
function startedTogether<Result>(
  all: readonly Answer[],
  work: (answer: Answer) => Promise<Result>,
): (answer: Answer) => Promise<Result> {
  let started: ReadonlyMap<string, Promise<Result>> | undefined;
  return async (answer) => {
    started ??= new Map(all.map((each) => [nameOf(...each), fewAtATime(() => work(each))]));
    for (const result of started.values()) result.catch(() => undefined); // its own test says so
    return started.get(nameOf(...answer)) as Promise<Result>;
  };
}

function report(what: string, ms: number): void {
  process.stderr.write(`${what}: ${(ms / 1000).toFixed(1)} s\n`);
}
