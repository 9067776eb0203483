/** What a user's function returned or threw. */
export async function attempted(
  call: () => unknown,
): Promise<{ readonly value: unknown } | { readonly thrown: unknown }> {
  try {
    return { value: await call() };
  } catch (thrown) {
    return { thrown };
  }
}
