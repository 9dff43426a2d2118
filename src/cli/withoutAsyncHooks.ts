/**
 * Loads modules while the global `process` is hidden. At load Effect looks there once for `AsyncResource`, which keeps
 * `AsyncLocalStorage` across the suspensions of a fiber. On Deno that first access costs 30 ms of a start, each
 * suspension 5 to 7 µs, and its memory is never released. This command line has no `AsyncLocalStorage`; a library
 * must not do this to the programs that use it.
 */
export const withoutAsyncHooks = async <A>(load: () => Promise<A>): Promise<A> => {
  const process = Object.getOwnPropertyDescriptor(globalThis, "process")
  if (process?.configurable !== true) return await load()
  Object.defineProperty(globalThis, "process", { value: undefined, configurable: true, writable: true })
  try {
    return await load()
  } finally {
    Object.defineProperty(globalThis, "process", process)
  }
}
