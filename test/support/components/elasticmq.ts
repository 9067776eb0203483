import { answersAwsCall } from '../../../packages/cli/src/dev/emulators/aws-probe.ts';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
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
};

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
  const endpoint = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'ElasticMQ',
    command: 'java',
    args: [
      ...JAVA_OPTIONS,
      '-Drest-sqs.bind-hostname=127.0.0.1',
      `-Drest-sqs.bind-port=${port}`,
      // The queue URLs it gives out are made of these.
      '-Dnode-address.host=127.0.0.1',
      `-Dnode-address.port=${port}`,
      // Its statistics page has a fixed port, which a second ElasticMQ could not bind.
      '-Drest-stats.enabled=false',
      '-cp',
      `${folder}/*`,
      'org.elasticmq.server.Main',
    ],
    isReady: () => answersAwsCall(endpoint, 'AmazonSQS.ListQueues'),
  });
  return { name: 'ElasticMQ', endpoint, stop: () => child.stop() };
}
