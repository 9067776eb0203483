import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { stoppableCall } from '../../../src/base/bounded.ts';
import type { Answer } from '../../../src/aws/answers.ts';
import type { Connections } from '../../../src/aws/connections.ts';
import { directTransport, LIMITS } from '../../../src/stores/dynamodb/direct-transport.ts';
import { abortedError, silentError } from '../../../src/aws/network-errors.ts';
import { RequestError } from '../../../src/aws/request-error.ts';
import type { Transport } from '../../../src/stores/dynamodb/transport.ts';
import type { Random } from '../virtual-world/random.ts';
import { never, type SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { SimDynamoDB, Way } from './sim-dynamodb.ts';

/** The network only: the transport itself sends again. */
export const directWay: Way = {
  mostSendings: 1,
  unanswered: () => silentError(LIMITS.silentMs),
  aborted: abortedError,
};

/** As AWS's SDK for DynamoDB. */
const MAX_ATTEMPTS = 4;
const ENDPOINT = { url: new URL('http://dynamodb.sim'), region: 'us-east-1' };
const CREDENTIALS = { accessKeyId: 'sim', secretAccessKey: 'sim' };

/** The store's own transport as a process has it, over simulated connections. */
export function directTransportOf(
  dynamoDB: SimDynamoDB,
  process: SimProcess,
  world: World,
  random: Random,
): Transport {
  const { clock } = process;
  const { answerLost, hangs } = world.scenario.faults;
  const chance = (rate: number): boolean => !world.isCalm && random.chance(rate);

  async function exchange(headers: Readonly<Record<string, unknown>>, body: string): Promise<Answer> {
    const operation = String(headers['X-Amz-Target']).replace('DynamoDB_20120810.', '');
    try {
      const output = await dynamoDB.request(process, operation, JSON.parse(body), undefined);
      const { $metadata: _, ...content } = output as { $metadata?: unknown };
      const answer = answerOf(200, content, world);
      if (!chance(answerLost / 4)) return answer;
      world.count('answers damaged');
      return damaged(answer, random);
    } catch (thrown) {
      if (thrown instanceof RequestError || !(thrown instanceof Error)) throw thrown;
      return exceptionAnswer(thrown, world);
    }
  }

  const connections: Connections = {
    post({ headers, body, limitMs, signal }) {
      if (signal?.aborted === true) return Promise.reject(abortedError());
      return stoppableCall(() => exchange(headers, body), {
        clock,
        limitMs: Math.min(limitMs, LIMITS.silentMs),
        signal,
        errorOf: (why) => (why === 'silent' ? silentError(LIMITS.silentMs) : abortedError()),
      });
    },
  };
  const credentials = (): typeof CREDENTIALS | Promise<never> => {
    if (!chance(hangs)) return CREDENTIALS;
    world.count('credentials that never come');
    return never();
  };
  return directTransport(
    {
      endpoint: ENDPOINT,
      credentials,
      maxAttempts: MAX_ATTEMPTS,
      userAgent: 'simulation',
      clock,
      random: () => random.next(),
    },
    LIMITS,
    connections,
  );
}

function exceptionAnswer({ name, message, ...members }: Error, world: World): Answer {
  const { $fault, $metadata: _, ...told } = members as { $fault?: string; $metadata?: unknown };
  const content = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...told };
  return answerOf($fault === 'server' || name === 'InternalServerError' ? 500 : 400, content, world);
}

function answerOf(status: number, content: object, world: World): Answer {
  const body = Buffer.from(JSON.stringify(content));
  const headers = { date: new Date(world.now).toUTCString(), 'x-amz-crc32': String(crc32(body)) };
  return { status, headers, body };
}

/** Cut off, with or without the checksum that tells. */
function damaged(answer: Answer, random: Random): Answer {
  const body = answer.body.subarray(0, random.integer(0, answer.body.length - 1));
  const { 'x-amz-crc32': checksum, ...headers } = answer.headers;
  const told = random.chance(0.5) && checksum !== undefined ? { 'x-amz-crc32': checksum } : {};
  return { ...answer, headers: { ...headers, ...told }, body };
}
