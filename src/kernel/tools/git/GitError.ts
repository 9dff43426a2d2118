/** Declares the exception that ends a git command with a message, and the texts of git's messages. */

/** Ends a command with an exit code, after its message. */
export class GitError extends Error {
  readonly exitCode: number

  constructor(exitCode: number, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Ends the command with `fatal: …` and the exit code 128, as git's `die`. */
export const fatal = (message: string): never => {
  throw new GitError(128, `fatal: ${message}`)
}

/** Ends the command with `error: …` and the exit code 1. */
export const failure = (message: string, exitCode = 1): never => {
  throw new GitError(exitCode, `error: ${message}`)
}

/** Refuses an unsupported feature, by its name. */
export const unsupported = (what: string, instead: string): never =>
  fatal(`${what} is not supported by git of the sandbox; ${instead}`)
