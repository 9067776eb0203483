// What the handler of the playground has around it. The reader's code is put after this file, in one script.
class PermanentError extends Error {
  name = 'PermanentError';
}

class RetryLaterError extends Error {
  name = 'RetryLaterError';

  constructor({ delayMs }) {
    super(`The handler asks to be called again in ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}

const calls = new Map();

async function answer(handler, { id, record, context }) {
  const controller = new AbortController();
  calls.set(id, controller);
  try {
    const result = await handler(record, { ...context, signal: controller.signal });
    postMessage({ type: 'returned', id, json: JSON.stringify(result) });
  } catch (thrown) {
    const { name = 'Error', message = String(thrown), delayMs } = Object(thrown);
    postMessage({ type: 'threw', id, error: { name: String(name), message: String(message), delayMs } });
  }
}

Object.assign(console, {
  log(...values) {
    const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    postMessage({ type: 'logged', text: text.join(' ').slice(0, 1_000) });
  },
});

Object.assign(globalThis, {
  PermanentError,
  RetryLaterError,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  process: {
    exit() {
      postMessage({ type: 'died' });
      close();
      throw new Error('The process has exited');
    },
  },
  serve(handler) {
    addEventListener('message', ({ data }) => {
      if (data.type === 'abort') calls.get(data.id)?.abort();
      else void answer(handler, data);
    });
    postMessage({ type: 'ready' });
  },
});
