import { IN_LAMBDA } from './support/agent.ts';
import { describeAgent } from './support/describe-agent.ts';

describeAgent("X-Ray's SDK with captureHTTPsGlobal", {
  name: 'xray',
  module: 'aws-xray-sdk-core',
  nodeOptions: { esm: '', cjs: '' },
  env: (collector) => ({
    ...IN_LAMBDA,
    AWS_XRAY_DAEMON_ADDRESS: collector,
  }),
  ownSpans: {
    of: () => '"operation":"BatchExecuteStatement"',
    passesTrace: true,
    http: /"namespace":"remote"/,
  },
  report: { of: (host) => `"url":"https://${new URL(`https://${host}`).hostname}/"` },
  header: 'x-amzn-trace-id',
});
