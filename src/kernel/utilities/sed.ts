/** Loads the `sed` utility when it is first run. */
import type { Program } from "../System.ts"

/** `sed [-nEsz] [-i[SUFFIX]] [-e SCRIPT]... [-f FILE]... [SCRIPT] [FILE]...`: edits a stream. Source: sed(1). */
export const sed: Program = async (system) => (await import("./sed/sed.ts")).sed(system)
