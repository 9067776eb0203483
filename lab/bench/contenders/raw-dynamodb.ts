import http from 'node:http';
import https from 'node:https';
import { CREDENTIALS, MAX_SOCKETS, REGION } from './connection.ts';
import { createSigner } from './sigv4.ts';

/** Sends one operation and resolves with the status and the parsed answer. */
export type SendRaw = (operation: string, input: unknown) => Promise<{ status: number; output: RawOutput }>;

/** As much of DynamoDB's answers as the floor looks at. */
interface RawOutput {
  readonly Responses?: readonly { readonly Error?: { readonly Code: string } }[];
}

/** DynamoDB's JSON protocol over `node:http` or `node:https`: no SDK, no retries, no checks. */
export function rawDynamoDB(endpoint: string): SendRaw {
  const { hostname, port, host, protocol } = new URL(endpoint);
  const { Agent, request } = protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, noDelay: true, maxSockets: MAX_SOCKETS });
  const sign = createSigner({ ...CREDENTIALS, region: REGION });

  return (operation, input) => {
    const body = JSON.stringify(input);
    const headers = {
      ...sign(host, `DynamoDB_20120810.${operation}`, body),
      'content-length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, agent, method: 'POST', path: '/', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, output: JSON.parse(text) as RawOutput });
        });
      });
      sent.once('error', reject);
      sent.end(body);
    });
  };
}
