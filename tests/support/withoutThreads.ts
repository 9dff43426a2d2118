import process from "node:process"

/**
 * The environment in which Bun needs no thread of its own for a while. Bun 1.4.5 aborts where it may start none, as soon as its
 * compiler or its collector wants one: plain JavaScript under `prlimit --nproc=1` does it each time.
 */
export const withoutThreads: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
  ),
  BUN_JSC_useConcurrentJIT: "0",
  BUN_JSC_useConcurrentGC: "0",
  BUN_JSC_numberOfGCMarkers: "1",
}
