import { gunzipSync } from 'node:zlib';
import { describeAgent } from './support/describe-agent.ts';

describeAgent('newrelic', {
  name: 'newrelic',
  module: 'newrelic',
  node: 22,
  nodeOptions: { esm: '--import newrelic/esm-loader.mjs --require newrelic', cjs: '--require newrelic' },
  env: () => ({
    NEW_RELIC_NO_CONFIG_FILE: 'true',
    NEW_RELIC_APP_NAME: 'orders',
    NEW_RELIC_LOG_ENABLED: 'false',
    NEW_RELIC_SERVERLESS_MODE_ENABLED: 'true', // as in Lambda: it reports to its extension, or here to standard output
    NEW_RELIC_ACCOUNT_ID: '1',
    NEW_RELIC_TRUSTED_ACCOUNT_KEY: '1',
  }),
  header: 'traceparent',
  ownSpans: {
    env: {
      NEW_RELIC_OPENTELEMETRY_ENABLED: 'true',
      NEW_RELIC_OPENTELEMETRY_METRICS_ENABLED: 'false',
      NEW_RELIC_OPENTELEMETRY_LOGS_ENABLED: 'false',
    },
    of: () => '"db.operation.name":"BatchExecuteStatement"', // it gives the span a name of its own
    http: /"category":"http"/,
  },
  report: {
    in: (_collected, printed) => {
      const lines = printed.split('\n').filter((line) => line.includes('NR_LAMBDA_MONITORING'));
      const payloads = lines.map((line) => (JSON.parse(line) as string[]).at(-1) ?? '');
      return payloads
        .map((payload) => gunzipSync(Buffer.from(payload, 'base64')).toString('utf8'))
        .join('\n');
    },
  },
});
