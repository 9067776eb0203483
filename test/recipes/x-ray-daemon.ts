import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A segment or subsegment, as a function sends it. */
interface SentSegment {
  readonly name: string;
  readonly type?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly subsegments?: readonly SentSegment[];
}

/** What Lambda has beside a function: it takes the segments of the function. */
export interface XRayDaemon {
  /** What makes a process trace as in Lambda. */
  readonly env: Readonly<Record<string, string>>;
  /** What was sent so far. */
  readonly segments: readonly SentSegment[];
  stop(): Promise<void>;
}

/** Listens for segments on a free port. */
export async function startXRayDaemon(): Promise<XRayDaemon> {
  const segments: SentSegment[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message) => {
    // A header in JSON, and the segment in the line below.
    segments.push(JSON.parse(message.toString().split('\n')[1] ?? '') as SentSegment);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    env: {
      AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${socket.address().port}`,
      LAMBDA_TASK_ROOT: '/var/task',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
      AWS_LAMBDA_FUNCTION_NAME: 'orders',
      _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=557abcec3ee5a047;Sampled=1',
    },
    segments,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}
