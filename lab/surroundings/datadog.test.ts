import { describeAgent } from './support/describe-agent.ts';

describeAgent('dd-trace', {
  name: 'datadog',
  module: 'dd-trace',
  node: 22,
  nodeOptions: { esm: '--import dd-trace/initialize.mjs', cjs: '--require dd-trace/init' },
  env: (collector) => ({
    DD_TRACE_AGENT_URL: `http://${collector}`,
    DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
    DD_CRASHTRACKING_ENABLED: 'false',
    DD_REMOTE_CONFIGURATION_ENABLED: 'false',
  }),
  // Its format, MessagePack, has the length of a text before it.
  ownSpans: { of: (table) => `resource\u00db\0\0\0ABatchExecuteStatement ${table}`, http: /http\.url/ },
  report: {},
});
