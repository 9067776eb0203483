import { IN_LAMBDA } from './support/agent.ts';
import { describeAgent } from './support/describe-agent.ts';

const register = '--require @aws/aws-distro-opentelemetry-node-autoinstrumentation/register';

describeAgent("AWS's distribution of OpenTelemetry", {
  name: 'adot',
  module: '@aws/aws-distro-opentelemetry-node-autoinstrumentation',
  nodeOptions: { esm: register, cjs: register },
  env: (collector) => ({
    ...IN_LAMBDA,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://${collector}/v1/traces`,
  }),
  header: 'x-amzn-trace-id',
  ownSpans: { http: /http\.(?:request\.)?method|url\.full/ },
  report: {},
});
