import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { Answer } from '../../../src/stores/dynamodb/direct/answers.ts';
import type { Connections } from '../../../src/stores/dynamodb/direct/connections.ts';
import { directTransport, LIMITS } from '../../../src/stores/dynamodb/direct/direct-transport.ts';
import { abortedError, silentError } from '../../../src/stores/dynamodb/direct/network-errors.ts';
import { RequestError } from '../../../src/stores/dynamodb/direct/request-error.ts';
import { clientOver } from '../../support/client-over.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { SimDynamoDB, Way } from './sim-dynamodb.ts';

/** The network only: the transport itself sends again. */
export const directWay: Way = {
  mostSendings: 1,
  unanswered: () => silentError(3_000),
  aborted: abortedError,
};

/** As AWS's SDK for DynamoDB. */
const MAX_ATTEMPTS = 4;
const ENDPOINT = { url: new URL('http://dynamodb.sim'), region: 'us-east-1' };
const CREDENTIALS = { accessKeyId: 'sim', secretAccessKey: 'sim' };

/** The store's own transport as a process has it, over connections that are simulated; as a client, which is how a store is given it. */
export function directClientOf(
  dynamoDB: SimDynamoDB,
  process: SimProcess,
  { world, random }: { readonly world: World; readonly random: Random },
): ReturnType<typeof clientOver> {
  const connections: Connections = {
    async post(headers, body, signal) {
      const operation = String(headers['X-Amz-Target']).replace('DynamoDB_20120810.', '');
      try {
        const output = await dynamoDB.request(process, operation, JSON.parse(body), signal);
        const { $metadata: _, ...content } = output as { $metadata?: unknown };
        return damaged(answer(200, content, world), world, random);
      } catch (thrown) {
        if (thrown instanceof RequestError || !(thrown instanceof Error)) throw thrown;
        return exceptionAnswer(thrown, world);
      }
    },
  };
  return clientOver(
    directTransport(
      {
        endpoint: ENDPOINT,
        credentials: () => CREDENTIALS,
        maxAttempts: MAX_ATTEMPTS,
        clock: process.clock,
        random: () => random.next(),
      },
      LIMITS,
      connections,
    ),
  );
}

function exceptionAnswer({ name, message, ...members }: Error, world: World): Answer {
  const { $fault, $metadata: _, ...told } = members as { $fault?: string; $metadata?: unknown };
  const content = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...told };
  return answer($fault === 'server' || name === 'InternalServerError' ? 500 : 400, content, world);
}

function answer(status: number, content: object, world: World): Answer {
  const body = Buffer.from(JSON.stringify(content));
  const headers = { date: new Date(world.now).toUTCString(), 'x-amz-crc32': String(crc32(body)) };
  return { status, headers, body };
}

/** What is done, and cannot be told from its answer. */
function damaged(whole: Answer, world: World, random: Random): Answer {
  if (world.isCalm || !random.chance(world.scenario.faults.answerLost / 4)) return whole;
  world.count('answers damaged');
  const body = whole.body.subarray(0, random.integer(0, whole.body.length - 1));
  if (random.chance(0.5)) return { ...whole, body };
  const { 'x-amz-crc32': _, ...headers } = whole.headers;
  return { ...whole, headers, body };
}
