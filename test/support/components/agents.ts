import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';

/** APM agents beside which the library is tested; the packages of each are those of `scripts/pins/npm/agent-NAME`. */
const agentNames = ['adot', 'datadog', 'elastic', 'newrelic', 'opentelemetry', 'sentry', 'xray'] as const;
export type AgentName = (typeof agentNames)[number];

export const agents: readonly Component[] = agentNames.map((name) => ({
  name: `agent-${name}`,
  version: npmPins(`agent-${name}`).version,
  purpose: 'an APM agent, for `npm run lab:surroundings`',
  whyMissing: () => undefined,
  install: async () => void (await npmPackages(`agent-${name}`)),
}));
