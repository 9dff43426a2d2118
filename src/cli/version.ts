/** Declares the version of Sluice that `sluice --version` prints. */

/** The version in package.json and deno.json (a test checks that all three are equal). */
export const version = "0.1.0"
