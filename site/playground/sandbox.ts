import type { StopSignal } from '../../src/base/stop.ts';
import { PermanentError, RetryLaterError } from '../../src/core.ts';
import frameCode from './sandbox-frame.js?raw';
import workerCode from './sandbox-worker.js?raw';

/** A process of the playground: the reader's handler in a worker that can reach nothing. */
export interface Sandbox {
  /** Calls the handler; never settles once the process is dead. */
  call(record: unknown, context: object, signal: StopSignal): Promise<unknown>;
  /** Ends the process, also one in an endless loop. */
  stop(): void;
}

export interface SandboxWatch {
  /** The handler ended its process. */
  readonly onDeath: () => void;
  readonly onLog: (text: string) => void;
}

interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly delayMs?: number;
}

type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'died' }
  | { readonly type: 'logged'; readonly text: string }
  | { readonly type: 'broken'; readonly message: string; readonly line: number }
  | { readonly type: 'returned'; readonly id: number; readonly json: string | undefined }
  | { readonly type: 'threw'; readonly id: number; readonly error: ThrownError };

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const READY_WITHIN_MS = 5_000;

/**
 * Starts a process that runs `code`, which defines `handler`. The worker belongs to a frame with an opaque
 * origin, whose content security policy the worker inherits: it has no network, no storage and no way to the
 * page but its messages.
 *
 * @throws If the code cannot be run, with the line of it.
 */
export async function startSandbox(code: string, watch: SandboxWatch): Promise<Sandbox> {
  const frame = await openFrame();
  const { port1: port, port2 } = new MessageChannel();
  const calls = new Map<number, Call>();
  let lastId = 0;
  const stop = (): void => {
    port.close();
    frame.remove();
  };
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => {
      stop();
      reject(new SyntaxError(why));
    };
    const timer = setTimeout(() => fail('the code does not come to an end'), READY_WITHIN_MS);
    let isReady = false;
    port.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'ready') {
        isReady = true;
        clearTimeout(timer);
        resolve();
      } else if (data.type !== 'broken') received(data, calls, watch);
      // An error that nothing catches ends a process.
      else if (isReady) watch.onDeath();
      else {
        clearTimeout(timer);
        fail(placed(data));
      }
    });
    port.start();
    frame.contentWindow?.postMessage(scriptOf(code), '*', [port2]);
  });
  return {
    stop,
    call(record, context, signal) {
      const id = (lastId += 1);
      signal.addEventListener('abort', () => port.postMessage({ type: 'abort', id }), { once: true });
      return new Promise((resolve, reject) => {
        calls.set(id, { resolve, reject });
        port.postMessage({ type: 'call', id, record, context });
      });
    },
  };
}

function received(
  data: Exclude<FromWorker, { readonly type: 'ready' } | { readonly type: 'broken' }>,
  calls: Map<number, Call>,
  { onDeath, onLog }: SandboxWatch,
): void {
  switch (data.type) {
    case 'returned':
      return calls.get(data.id)?.resolve(data.json === undefined ? undefined : JSON.parse(data.json));
    case 'threw':
      return calls.get(data.id)?.reject(errorOf(data.error));
    case 'died':
      return onDeath();
    case 'logged':
      return onLog(data.text);
  }
}

/** Errors of the library are made anew: their classes are not those of the worker. */
function errorOf({ name, message, delayMs = -1 }: ThrownError): Error {
  if (name === 'PermanentError') return new PermanentError(message);
  if (name === 'RetryLaterError' && delayMs >= 0) return new RetryLaterError({ delayMs });
  return Object.assign(new Error(message), { name });
}

function scriptOf(code: string): string {
  return `${workerCode}serve((() => {\n${code}\nreturn handler;\n})());`;
}

function placed({ message, line }: { readonly message: string; readonly line: number }): string {
  const inCode = line - workerCode.split('\n').length;
  return inCode > 0 ? `${message}, line ${inCode}` : message;
}

function openFrame(): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('');
  frame.hidden = true;
  frame.title = 'The process of the handler';
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.srcdoc =
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
    `script-src 'nonce-${nonce}' blob:; worker-src blob:">` +
    `<script nonce="${nonce}">${frameCode}</script>`;
  return new Promise((resolve) => {
    frame.addEventListener('load', () => resolve(frame), { once: true });
    document.body.append(frame);
  });
}
