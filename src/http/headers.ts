/**
 * Headers of every answer.
 *
 * @module
 */
import { wireVersion, wireVersionHeader } from "../wire/Wire.ts"

/** Answers are what they say they are, are kept by nobody, and say which wire they speak. */
export const responseHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  [wireVersionHeader]: String(wireVersion),
}

/** What the token of a request allows, in the answer of `GET /commands`: `read, run, cancel`, or some of them. */
export const rightsHeader = "sluice-rights"

/** The same for answers that come in pieces: nothing on the way may hold them back to compress or collect them. */
export const streamResponseHeaders: Readonly<Record<string, string>> = {
  ...responseHeaders,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
}
