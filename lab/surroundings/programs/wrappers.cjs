const { asModule } = require('./as-module.cjs');

/** How a handler is wrapped for a tool, where its vendor says that one has to be. */
exports.WRAPPERS = {
  async elastic(load) {
    const { default: apm } = await asModule(load, 'elastic-apm-node');
    return (handler) => async (event, context) => {
      const transaction = apm.startTransaction('orders', 'messaging');
      try {
        return await handler(event, context);
      } finally {
        transaction.end();
      }
    };
  },

  async newrelic(load) {
    const { default: newrelic } = await asModule(load, 'newrelic');
    return (handler) => newrelic.setLambdaHandler(handler);
  },

  async sentry(load) {
    const { wrapHandler } = await load('@sentry/aws-serverless');
    // Sentry keeps one timer for this warning: of invocations at the same time all but the last would leave theirs behind.
    return (handler, isConcurrent) => wrapHandler(handler, { captureTimeoutWarning: !isConcurrent });
  },

  async xray(load) {
    const { default: xray } = await asModule(load, 'aws-xray-sdk-core');
    for (const name of ['node:http', 'node:https'])
      xray.captureHTTPsGlobal((await asModule(load, name)).default);
    return (handler) => handler;
  },
};
