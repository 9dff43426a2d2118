/** Builds the message about a working directory, with the wording and the quotes of the specification. */
import { escapeInvisible } from "../base/escapeInvisible.ts"

/** `Working directory does not exist '/tmp/ghost'`; other messages begin in lower case and have double quotes. */
export const workingDirectoryIssue = (problem: string, path: string): string =>
  `Working directory ${problem} '${escapeInvisible(path)}'`
