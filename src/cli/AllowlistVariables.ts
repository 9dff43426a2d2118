/**
 * Type of the environment variables that hold a server's allowed commands and directories.
 *
 * @module
 */

/** The allowed commands and directories, as the variables hold them: items joined by commas. */
export interface AllowlistVariables {
  readonly ALLOWED_COMMANDS: string | undefined
  readonly ALLOWED_CWD_ROOTS: string | undefined
}

/** The list of a server without settings: nothing may run. */
export const emptyAllowlist: AllowlistVariables = { ALLOWED_COMMANDS: undefined, ALLOWED_CWD_ROOTS: undefined }
