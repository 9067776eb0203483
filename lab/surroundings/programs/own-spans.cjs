const { asModule } = require('./as-module.cjs');

/** The observer that makes a span of each request, with what a tool needs for it. */
exports.OWN_SPANS = {
  async opentelemetry(load) {
    return (await load('batchlatch/opentelemetry')).openTelemetry();
  },

  async datadog(load) {
    const { default: tracer } = await asModule(load, 'dd-trace');
    new tracer.TracerProvider().register();
    return (await load('batchlatch/opentelemetry')).openTelemetry();
  },

  async xray(load) {
    const { default: xray } = await asModule(load, 'aws-xray-sdk-core');
    // As Powertools' tracer has it.
    const tracer = {
      isTracingEnabled: () => true,
      getSegment: () => xray.getSegment(),
      setSegment: (segment) => xray.setSegment(segment),
      provider: { getNamespace: () => xray.getNamespace() },
    };
    return (await load('batchlatch/observe')).powertools({ tracer });
  },
};
