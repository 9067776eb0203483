import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answersAwsCall } from './aws-probe.ts';
import { startChild } from './child-process.ts';
import { DisposeStack } from './dispose-stack.ts';
import { startGuardingProxy } from './guarding-proxy.ts';
import { installedFolder, notInstalled } from './installed-package.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/**
 * Loaded before the emulator, which would listen on every interface, also with TLS. Makes its servers listen
 * on sockets in a folder of this user, and reports the addresses and ports that it expects.
 */
const ON_SOCKETS = `
import { Server } from 'node:net';
const { listen } = Server.prototype;
const [host, port] = ['127.0.0.1', 1];
const ends = { remoteAddress: host, remotePort: port, localAddress: host, localPort: port };
const members = Object.fromEntries(Object.entries(ends).map(([name, value]) => [name, { value }]));
Server.prototype.listen = function (first, ...others) {
  const name = typeof first === 'object' && first !== null ? first.port : first;
  const listening = others.findLast((one) => typeof one === 'function');
  this.prependListener('connection', (socket) => Object.defineProperties(socket, members));
  return listen.call(this, process.env.SOCKETS + '/' + name, listening);
};
Server.prototype.address = () => ({ address: host, family: 'IPv4', port });`;

/** Starts an in-memory Kinesis in its own process: the package kinesis-local. No web page can use it. */
export async function startKinesisEmulator(options: StartOptions = {}): Promise<LocalService> {
  const folder = installedFolder('kinesis-local');
  if (folder === undefined) throw notInstalled(['kinesis-local']);
  const cleanup = new DisposeStack();
  try {
    const sockets = await mkdtemp(path.join(tmpdir(), 'batchlatch-'));
    cleanup.defer(() => rm(sockets, { recursive: true, force: true }));
    const proxy = await startGuardingProxy('kinesis-local', { socketPath: path.join(sockets, '1') }, options);
    cleanup.defer(() => proxy.stop());
    const child = await startChild({
      name: 'kinesis-local',
      command: process.execPath,
      args: [
        '--import',
        `data:text/javascript,${encodeURIComponent(ON_SOCKETS)}`,
        path.join(folder, 'main.js'),
      ],
      // The emulator reads its certificate from its working directory.
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        SOCKETS: sockets,
        KINESIS_MOCK_PLAIN_PORT: '1',
        KINESIS_MOCK_TLS_PORT: '2',
        CREATE_STREAM_DURATION: '1ms',
        DELETE_STREAM_DURATION: '1ms',
      },
      isReady: () => answersAwsCall(proxy.endpoint, 'Kinesis_20131202.ListStreams'),
    });
    cleanup.defer(() => child.stop());
    return { ...proxy, stop: () => cleanup.run() };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}
