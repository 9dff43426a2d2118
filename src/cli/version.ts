/** Declares the version of Sluice that `sluice --version` prints. */

/** The version in package.json and deno.json (a test holds the three together). */
export const version = "0.1.0"
