/** Runs so many calls at a time, and the others in the order in which they came, as places become free. */
export function limited(most: number): <Answer>(call: () => Promise<Answer>) => Promise<Answer> {
  let running = 0;
  const waiting: (() => void)[] = [];
  async function run<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    running += 1;
    try {
      return await call();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }
  return (call) =>
    running < most
      ? run(call)
      : new Promise((resolve) => {
          waiting.push(() => resolve(run(call)));
        });
}
