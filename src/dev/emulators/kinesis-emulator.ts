import path from 'node:path';
import { answersAwsCall } from './aws-probe.ts';
import { startChild } from './child-process.ts';
import { freePort } from './free-port.ts';
import { installedFolder, notInstalled } from './installed-package.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/** Loaded before the emulator, which would listen on every interface of the machine. */
const LOOPBACK_ONLY = `
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (first, ...others) {
  const options = typeof first === 'object' && first !== null ? first : { port: first };
  const listening = others.findLast((one) => typeof one === 'function');
  return listen.call(this, { ...options, host: '127.0.0.1' }, listening);
};`;

/** Starts a Kinesis in a process of its own, from the npm package kinesis-local. Streams are in memory. */
export async function startKinesisEmulator(options: StartOptions = {}): Promise<LocalService> {
  const folder = installedFolder('kinesis-local');
  if (folder === undefined) throw notInstalled(['kinesis-local']);
  const port = options.port ?? (await freePort());
  const endpoint = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'kinesis-local',
    command: process.execPath,
    args: [
      '--import',
      `data:text/javascript,${encodeURIComponent(LOOPBACK_ONLY)}`,
      path.join(folder, 'main.js'),
    ],
    // Its certificate lies beside it.
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      KINESIS_MOCK_PLAIN_PORT: String(port),
      KINESIS_MOCK_TLS_PORT: String(await freePort()),
      CREATE_STREAM_DURATION: '1ms',
      DELETE_STREAM_DURATION: '1ms',
    },
    isReady: () => answersAwsCall(endpoint, 'Kinesis_20131202.ListStreams'),
  });
  return { name: 'kinesis-local', endpoint, stop: () => child.stop() };
}
