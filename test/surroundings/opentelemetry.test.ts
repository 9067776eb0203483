import { describeAgent } from './support/describe-agent.ts';

describeAgent("OpenTelemetry's auto-instrumentations", {
  name: 'opentelemetry',
  module: '@opentelemetry/auto-instrumentations-node',
  node: 22,
  nodeOptions: {
    esm: '--require @opentelemetry/auto-instrumentations-node/register',
    cjs: '--require @opentelemetry/auto-instrumentations-node/register',
  },
  env: (collector) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${collector}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_NODE_RESOURCE_DETECTORS: 'env,host,os,process',
  }),
  header: 'traceparent',
  report: {},
});
