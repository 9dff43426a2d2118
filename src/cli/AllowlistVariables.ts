/**
 * Type of the environment variables that hold a server's allowed commands and directories.
 *
 * @module
 */

/** The allowed commands and roots, as in the variables of the execution document: items joined by commas. */
export interface AllowlistVariables {
  readonly ALLOWED_COMMANDS: string | undefined
  readonly ALLOWED_CWD_ROOTS: string | undefined
}

/** The list of a server where nothing was said, and nothing may be run. */
export const emptyAllowlist: AllowlistVariables = { ALLOWED_COMMANDS: undefined, ALLOWED_CWD_ROOTS: undefined }
