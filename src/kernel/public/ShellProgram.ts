/**
 * Exports the shell as a program of a kernel, and as a session that keeps its state between scripts.
 *
 * @module
 */
export type { ShellLimits } from "../shell/ShellLimits.ts"
export { shellProgram as make, type ShellProgramOptions } from "../shell/ShellProgram.ts"
export { ShellSession } from "../shell/ShellSession.ts"
