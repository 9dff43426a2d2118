/**
 * The list of allowed commands and directories.
 *
 * @module
 */

/** What may be run, as the variables of the execution document say it: items with commas between them. */
export interface Allowed {
  readonly ALLOWED_COMMANDS: string | undefined
  readonly ALLOWED_CWD_ROOTS: string | undefined
}

/** The list of a server where nothing was said, and nothing may be run. */
export const noCommand: Allowed = { ALLOWED_COMMANDS: undefined, ALLOWED_CWD_ROOTS: undefined }
