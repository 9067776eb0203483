import type { Agent } from './support/agent.ts';
import { describeAgent } from './support/describe-agent.ts';

const agent: Agent = {
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
  ownSpans: { http: /http\.(?:request\.)?method|url\.full/ },
  report: {},
};

describeAgent("OpenTelemetry's auto-instrumentations", agent);
