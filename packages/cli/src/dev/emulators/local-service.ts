/** A service of this machine that tests and the demo talk to instead of AWS. */
export interface LocalService {
  /** What runs, for messages: `dynoxide`, `ElasticMQ`. */
  readonly name: string;
  /** Where it answers, such as `http://127.0.0.1:41233`; an AWS client takes it as its `endpoint`. */
  readonly endpoint: string;
  /** Resolves once nothing of the service runs any more. Calling it again does no harm. */
  stop(): Promise<void>;
}

/** How to start a local service. */
export interface StartOptions {
  /** The port to listen on, of the loopback interface; by default a free one. */
  readonly port?: number | undefined;
  /** Names besides those of loopback by which requests may address it, as containers do. */
  readonly allowedHosts?: readonly string[] | undefined;
}
