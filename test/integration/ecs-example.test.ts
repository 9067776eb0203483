import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { at, everyMember, readTemplateText, resourcesOf } from '../sam/read-template.ts';
import { emulatedQueues } from '../support/emulated-queues.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { until } from '../support/until.ts';

const FOLDER = 'examples/ecs';
const template = readTemplateText(`${FOLDER}/service.yaml`);
const program = readFileSync(`${FOLDER}/worker.ts`, 'utf8');

function kubernetes(kind: string): unknown {
  const files = readdirSync(`${FOLDER}/kubernetes`).map((file) => `${FOLDER}/kubernetes/${file}`);
  const documents = files.flatMap((file) => parseAllDocuments(readFileSync(file, 'utf8')));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  return documents.map((one) => one.toJS() as unknown).find((one) => at(one, 'kind') === kind);
}

describe('examples/ecs', () => {
  const [, task] = resourcesOf(template, 'AWS::ECS::TaskDefinition')[0] ?? [];
  const container = at(task, 'ContainerDefinitions', 0);
  const pod = at(kubernetes('Deployment'), 'spec', 'template', 'spec');
  const shutdownMs = Number(/shutdownTimeoutMs: ([\d_]+)/.exec(program)?.[1]?.replaceAll('_', ''));

  it('gives the containers more time to stop than the worker takes', () => {
    expect(shutdownMs).toBeGreaterThan(0);
    for (const seconds of [at(container, 'StopTimeout'), at(pod, 'terminationGracePeriodSeconds')]) {
      expect(Number(seconds) * 1_000).toBeGreaterThanOrEqual(shutdownMs + 10_000);
    }
    expect(at(container, 'StopTimeout')).toBeLessThanOrEqual(120); // Fargate's most
  });

  it('asks for health where the worker tells it', () => {
    const [, port] = /HEALTH_PORT'\] \?\? (\d+)/.exec(program) ?? [];
    expect(String(at(container, 'HealthCheck', 'Command', 3))).toContain(`127.0.0.1:${port}/live`);
    expect(String(at(pod, 'containers', 0, 'ports', 0, 'containerPort'))).toBe(port);
    expect(everyMember(pod, 'httpGet')).toEqual([
      { path: '/live', port: 'health' },
      { path: '/ready', port: 'health' },
    ]);
  });

  it('counts what runs when it scales', () => {
    expect(everyMember(template, 'Expression')).toEqual(['(visible + running) / tasks']);
    expect(everyMember(kubernetes('ScaledObject'), 'scaleOnInFlight')).toEqual(['true']);
  });

  it('has an image of what is there, without root and without npm between the signals and Node', () => {
    const dockerfile = readFileSync(`${FOLDER}/Dockerfile`, 'utf8');
    const [, copied = ''] = /^COPY (.+\.ts) \.\/$/m.exec(dockerfile) ?? [];
    expect(readdirSync(FOLDER)).toEqual(expect.arrayContaining(copied.split(' ')));
    expect(dockerfile).toMatch(/\nUSER node\n[^]*\nCMD \["node", .*"worker\.ts"\]\n$/);
  });
});

describe('The worker of examples/ecs', () => {
  const queues = emulatedQueues();
  const table = emulatedTable('dynoxide');
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function serve(answer: (request: IncomingMessage, body: string) => Promise<string> | string) {
    const server = createServer((request, response) => {
      void text(request)
        .then((body) => answer(request, body))
        .then(
          (answered) => response.end(answered),
          () => response.destroy(), // the emulator has gone, and with it a long poll
        );
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('charges orders once, stops at a signal, and asks SQS for no more than its role may do', async () => {
    const queue = await queues.create();
    for (const orderId of ['o-1', 'o-2', 'o-1']) await queue.send({ orderId, amountCents: 700 });
    const charges: unknown[] = [];
    const payments = await serve(({ headers }, body) => {
      charges.push({ ...(JSON.parse(body) as object), key: headers['idempotency-key'] });
      return '';
    });
    const asked = new Set<string>();
    const { host } = new URL(queue.queueUrl);
    const sqs = await serve(async ({ headers }, body) => {
      asked.add(String(headers['x-amz-target']).replace('AmazonSQS.', ''));
      const answer = await fetch(`http://127.0.0.1:${new URL(queue.queueUrl).port}/`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': String(headers['x-amz-target']),
          authorization: String(headers.authorization),
        },
        body: body.replace(/"QueueUrl":"[^"]+"/, JSON.stringify({ QueueUrl: queue.queueUrl }).slice(1, -1)),
      });
      return answer.text();
    });
    const child = spawn(process.execPath, ['--import', 'tsx', path.join(FOLDER, 'worker.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
        CLAIMS_TABLE_NAME: table.tableName,
        QUEUE_URL: queue.queueUrl.replace(`http://${host}`, sqs),
        PAYMENTS_URL: payments,
        HEALTH_PORT: '0',
      },
    });
    try {
      const exit = once(child, 'exit');
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (told: string) => (out += told));
      await until('all are deleted', async () => asked.has('DeleteMessageBatch') && charges.length === 2);
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
      expect(out.split('\n').filter((line) => line.startsWith('Worker:'))).toEqual([
        'Worker: running',
        'Worker: stopping',
        'Worker: stopped',
      ]);
    } finally {
      child.kill('SIGKILL');
    }
    const key = expect.stringMatching(/^orders#v1:/);
    expect(charges).toHaveLength(2);
    expect(charges).toEqual(
      expect.arrayContaining(['o-1', 'o-2'].map((orderId) => ({ orderId, amountCents: 700, key }))),
    );
    const statements = everyMember(template, 'Statement').flat();
    const allowed = statements.find((one) => (one as { Sid?: string }).Sid === 'Queue');
    // IAM has one action for a request of one message and for one of ten.
    const wanted = [...asked].map((operation) => `sqs:${operation.replace(/Batch$/, '')}`);
    expect(at(allowed, 'Action')).toEqual(expect.arrayContaining(wanted));
  });
});
