import type { Agent } from './support/agent.ts';
import { describeAgent } from './support/describe-agent.ts';

const agent: Agent = {
  name: 'elastic',
  module: 'elastic-apm-node',
  nodeOptions: {
    esm: '--require elastic-apm-node/start.js --experimental-loader elastic-apm-node/loader.mjs',
    cjs: '--require elastic-apm-node/start.js',
  },
  env: (collector) => ({
    ELASTIC_APM_SERVER_URL: `http://${collector}`,
    ELASTIC_APM_CENTRAL_CONFIG: 'false',
    ELASTIC_APM_CLOUD_PROVIDER: 'none',
    ELASTIC_APM_METRICS_INTERVAL: '0',
  }),
  header: 'traceparent',
  ownSpans: {
    env: {
      ELASTIC_APM_OPENTELEMETRY_BRIDGE_ENABLED: 'true',
      ELASTIC_APM_SPAN_COMPRESSION_ENABLED: 'false', // it makes one of two spans with the same name
    },
    http: /"subtype":"http"/,
  },
  report: {},
};

describeAgent('elastic-apm-node', agent);

const { ownSpans: _none, ...withoutSpans } = agent;

describeAgent('elastic-apm-node with contextPropagationOnly', {
  ...withoutSpans,
  env: (collector) => ({ ...agent.env(collector), ELASTIC_APM_CONTEXT_PROPAGATION_ONLY: 'true' }),
  report: { of: () => '' }, // it reports nothing, and its header is the proof that it works
});
