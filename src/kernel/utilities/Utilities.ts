/**
 * Exports the utilities of POSIX and GNU as programs of the kernel, one by one and in a table by name: `cat`, `grep`,
 * `sed`, `sort`, `find` and over sixty more, written only with system calls.
 *
 * Ports of coreutils to JavaScript are not used because they work on whole strings or on the host's files, and builds
 * of the C programs for WASI have megabytes. A script must not hang its host, so the time of every match is bounded.
 * Source: POSIX.1-2024 "Utilities"; the manuals of GNU coreutils, grep, sed, findutils and diffutils.
 *
 * @module
 */
import type { Program } from "../System.ts"
import { falseProgram, trueProgram } from "./true.ts"
import * as programs from "./programs.ts"
import { bracket } from "./test.ts"
import { htmlToMarkdown } from "./tools.ts"

export * from "./programs.ts"

const makeTable = (): Readonly<Record<string, Program>> => ({
  ...programs,
  "[": bracket,
  "html-to-markdown": htmlToMarkdown,
  false: falseProgram,
  true: trueProgram,
})

/**
 * All utilities by name.
 *
 * @example
 * ```ts
 * import { Utilities } from "@sluice/shell/sandbox"
 *
 * console.log("sort" in Utilities.utilities && "[" in Utilities.utilities) // true
 * ```
 *
 * @stability experimental
 */
// The annotation lets a bundler drop the table if only single utilities are imported.
export const utilities: Readonly<Record<string, Program>> = /* @__PURE__ */ makeTable()
