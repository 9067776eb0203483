import path from 'node:path';
import { sqsEvent } from 'batchlatch/testing';
import { startLambdaRuntime } from '../../../test/support/components/lambda-runtime.ts';
import { isLambdaRuntimeInstalled } from '../../../test/support/components/lambda-toolchain.ts';
import { isSuccess } from '../first-answer.ts';
import { bundleFunction, type FunctionName } from '../harness/build.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { inTurn } from '../harness/rounds.ts';
import { startTlsProxy, type TlsProxy } from '../harness/tls-proxy.ts';
import type { Plan } from '../plan.ts';
import { pairedRatio, type Spread, spreadOf } from '../statistics.ts';
import { ensureTable } from '../worker/table.ts';

export interface LambdaStartFigures {
  readonly node: LambdaNode;
  readonly name: FunctionName;
  readonly protocol: 'http' | 'https';
  /** From the start of the runtime client's process to the answer. */
  readonly startMs: Spread;
  /** How many times less than Powertools over the same protocol; undefined for the empty function. */
  readonly timesLess: Spread | undefined;
}

type LambdaNode = Plan['lambdaStart']['nodes'][number];

interface Started {
  readonly name: FunctionName;
  readonly protocol: LambdaStartFigures['protocol'];
  readonly folder: string;
  readonly startsMs: number[];
}

const TIMEOUT_SECONDS = 30;

/**
 * The same functions in AWS's runtime interface emulator with AWS's runtime client, on Lambda's Nodes. Nothing is
 * measured where these programs are not installed.
 */
export async function measureLambdaStart(
  lab: Lab,
  { lambdaStart: { nodes, starts } }: Plan,
  progress: Progress,
): Promise<LambdaStartFigures[]> {
  const installed = nodes.filter(isLambdaRuntimeInstalled);
  if (installed.length === 0) {
    progress.note('Lambda runtime client: left out, it is not installed (scripts/components.ts installs it)');
    return [];
  }
  progress.section('Lambda runtime client', installed.length * (starts + 1));
  const tls = lab.add(await startTlsProxy(lab.emulator.endpoint));
  const figures: LambdaStartFigures[] = [];
  for (const node of installed) {
    const started = await bundleAll(lab);
    // The first round reads the files from the disk, and does not count.
    for (let start = 0; start <= starts; start += 1) {
      for (const one of inTurn(started, start)) {
        const startMs = await startOnce(lab, node, one, tls);
        if (start > 0) one.startsMs.push(startMs);
      }
      progress.step(`Node ${node}`);
    }
    figures.push(...started.map((one) => figuresOf(node, one, started)));
  }
  await tls.stop();
  return figures;
}

async function bundleAll(lab: Lab): Promise<Started[]> {
  const started: Started[] = [];
  for (const name of ['empty', 'powertools', 'batchlatch'] as const) {
    await ensureTable(lab.emulator.endpoint, tableOf(name));
    const folder = path.dirname((await bundleFunction(name, 'whole')).file);
    started.push({ name, protocol: 'http', folder, startsMs: [] });
    if (name !== 'empty') started.push({ name, protocol: 'https', folder, startsMs: [] });
  }
  return started;
}

/** The emulator starts the runtime client when the first event arrives, so the invocation is the start. */
async function startOnce(
  { emulator }: Lab,
  node: LambdaNode,
  { name, protocol, folder }: Started,
  tls: TlsProxy,
): Promise<number> {
  const viaTls = protocol === 'https' ? tls : undefined;
  const runtime = await startLambdaRuntime({
    node,
    folder,
    handler: 'index.handler',
    functionName: 'orders',
    timeoutSeconds: TIMEOUT_SECONDS,
    environment: {
      CLAIMS_TABLE_NAME: tableOf(name),
      AWS_ENDPOINT_URL_DYNAMODB: viaTls?.endpoint ?? emulator.endpoint,
      ...(viaTls !== undefined && { NODE_EXTRA_CA_CERTS: viaTls.certificateFile }),
    },
  });
  try {
    const startedAt = performance.now();
    const answer = await runtime.invoke(sqsEvent([{ body: { order: 1 } }]));
    const startMs = performance.now() - startedAt;
    if (!isSuccess(answer)) throw new Error(`${name} on Node ${node} failed:\n${runtime.lastOutput()}`);
    return startMs;
  } finally {
    await runtime.stop();
  }
}

function tableOf(name: FunctionName): string {
  return `${name}-lambda-start`;
}

function figuresOf(
  node: LambdaNode,
  { name, protocol, startsMs }: Started,
  all: readonly Started[],
): LambdaStartFigures {
  const peer = all.find((other) => other.name === 'powertools' && other.protocol === protocol);
  return {
    node,
    name,
    protocol,
    startMs: spreadOf(startsMs),
    timesLess: name === 'empty' || peer === undefined ? undefined : pairedRatio(peer.startsMs, startsMs),
  };
}
