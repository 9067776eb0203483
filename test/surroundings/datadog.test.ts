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
  report: {},
});
