/** A local service that replaces one of AWS. */
export interface LocalService {
  /** The program's name, for messages: `dynoxide`, `ElasticMQ`. */
  readonly name: string;
  /** The address, such as `http://127.0.0.1:41233`: an AWS client's `endpoint`. */
  readonly endpoint: string;
  /** Stops the service, and resolves when all of it has ended. May be called again. */
  stop(): Promise<void>;
}

/** Options to start a local service. */
export interface StartOptions {
  /** The port on the loopback interface. Default: a free one. */
  readonly port?: number | undefined;
  /** Host names that requests may use besides those of loopback, as from containers. */
  readonly allowedHosts?: readonly string[] | undefined;
}
