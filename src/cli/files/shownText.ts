/** Formats text of files for stdout: a terminal gets no control characters, a pipe gets the text as it is. */
import type { CliProcess } from "../CliProcess.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"

/** A line of text; tabs stay. */
export const shownText = (cli: CliProcess, text: string): string =>
  cli.isTerminal(1) ? text.split("\t").map(escapeInvisible).join("\t") : text
