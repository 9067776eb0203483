import { channel, type ChannelListener, unsubscribe } from 'node:diagnostics_channel';
import { afterAll } from '@jest/globals';
import { REQUEST_CHANNEL } from '../../src/aws/request-watch.ts';

// A diagnostics channel belongs to the process. Without this, the observers of a test file would follow the requests of the
// files that run in the process after it.
afterAll(() => {
  const { _subscribers: left = [] } = channel(REQUEST_CHANNEL) as { _subscribers?: ChannelListener[] };
  for (const subscriber of left) unsubscribe(REQUEST_CHANNEL, subscriber);
});
