import { answersAwsCall } from '../../../packages/cli/src/dev/emulators/aws-probe.ts';
import { type RunningChild, startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { JAVA_OPTIONS, javaLibrary, type JavaLibrary, whyJavaMissing } from './java-library.ts';

const VERSION = '1.6.12';
const LIBRARY: JavaLibrary = {
  folder: `elasticmq-${VERSION}`,
  groupId: 'org.elasticmq',
  artifactId: 'elasticmq-server_2.13',
  version: VERSION,
  prepare: archiveClasses,
};
/** Loaded classes, in Java's own form: with them ElasticMQ starts in half the time. */
const ARCHIVE = 'classes.jsa';

export const elasticMQ: Component = {
  name: 'elasticmq',
  version: VERSION,
  purpose: 'SQS by other authors than fauxqs: a second opinion on queue semantics',
  whyMissing: () => whyJavaMissing(LIBRARY),
  install: async () => void (await javaLibrary(LIBRARY)),
  start: startElasticMQ,
};

/** Starts ElasticMQ without queues. */
export async function startElasticMQ(options: StartOptions = {}): Promise<LocalService> {
  const folder = await javaLibrary(LIBRARY);
  const port = options.port ?? (await freePort());
  const child = await startServer(folder, port, `-XX:SharedArchiveFile=${ARCHIVE}`);
  return { name: 'ElasticMQ', endpoint: endpointOf(port), stop: () => child.stop() };
}

async function archiveClasses(folder: string): Promise<void> {
  const child = await startServer(folder, await freePort(), `-XX:ArchiveClassesAtExit=${ARCHIVE}`);
  await child.stop();
}

function startServer(folder: string, port: number, archive: string): Promise<RunningChild> {
  return startChild({
    name: 'ElasticMQ',
    command: 'java',
    // Java takes an archive for the same paths only, and the folder gets its name later.
    cwd: folder,
    args: [
      ...JAVA_OPTIONS,
      archive,
      '-Drest-sqs.bind-hostname=127.0.0.1',
      `-Drest-sqs.bind-port=${port}`,
      // The queue URLs it gives out are made of these.
      '-Dnode-address.host=127.0.0.1',
      `-Dnode-address.port=${port}`,
      // Its statistics page has a fixed port, which a second ElasticMQ could not bind.
      '-Drest-stats.enabled=false',
      '-cp',
      './*',
      'org.elasticmq.server.Main',
    ],
    isReady: () => answersAwsCall(endpointOf(port), 'AmazonSQS.ListQueues'),
  });
}

function endpointOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
