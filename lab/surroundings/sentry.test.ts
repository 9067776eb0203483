import { IN_LAMBDA } from './support/agent.ts';
import { describeAgent } from './support/describe-agent.ts';

const auto = '--import @sentry/aws-serverless/awslambda-auto';

describeAgent('@sentry/aws-serverless', {
  name: 'sentry',
  module: '@sentry/aws-serverless',
  nodeOptions: { esm: auto, cjs: auto },
  env: (collector) => ({
    ...IN_LAMBDA,
    SENTRY_DSN: `http://key@${collector}/1`,
    SENTRY_TRACES_SAMPLE_RATE: '1.0',
  }),
  header: 'sentry-trace',
  ownSpans: { http: /http\.(?:request\.)?method|url\.full/ },
  report: {},
});
