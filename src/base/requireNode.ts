/** Refuses versions of Node that are too old for this package. */

/** Throws on a Node that is too old, before something fails that names no version. */
export const requireNode = (): void => {
  // Checks for the missing feature instead of the version: reading `process` costs time on Deno.
  if ("withResolvers" in Promise) return
  const version = "process" in globalThis ? ` (this is ${globalThis.process.version})` : ""
  throw new Error(`@sluice/shell needs Node 22.19 or newer${version}, Deno 2 or Bun`)
}
