import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';

const run = promisify(execFile);

describe('A function that imports the packages of Powertools', () => {
  let server: Server;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends its requests without the SDK, with the application id that Powertools sets', async () => {
    const agents: unknown[] = [];
    server = createServer((request, response) => {
      agents.push(request.headers['user-agent']);
      request.resume().on('end', () => response.end('{"Responses":[{}]}')); // the statement was carried out
    });
    const endpoint = `http://127.0.0.1:${await listenLocally(server)}`;
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', 'test/support/powertools-program.ts'],
      {
        env: {
          ...process.env,
          AWS_ENDPOINT_URL_DYNAMODB: endpoint,
          AWS_SDK_UA_APP_ID: 'orders team',
          CLAIMS_TABLE_NAME: 'claims',
        },
      },
    );
    const { response, appId, sdk } = JSON.parse(stdout) as {
      response: unknown;
      appId: string;
      sdk: string[];
    };
    expect(response).toEqual({ batchItemFailures: [] });
    expect(appId).toMatch(/^orders team\/PT\/NO-OP\//);
    expect(sdk).toEqual([]);
    expect(agents.length).toBeGreaterThan(0);
    const agent = `batchlatch md/nodejs#${process.versions.node} app/${appId.replaceAll(/[ /]/g, '-')}`;
    expect(new Set(agents)).toEqual(new Set([agent]));
  });
});
