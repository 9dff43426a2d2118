/**
 * Implements `npm start -- COMMAND [ARG...]`: installs the dependencies if that has not been done, then runs the command
 * with Sluice and prints its output in windows, which end after fifty lines or a tenth of a second of silence.
 *
 * The command is journaled in `.sluice/journal.db`, or in the journal that SLUICE_JOURNAL names:
 * `npx sluice journal list` lists the journaled commands.
 *
 * @module
 */
import { fileURLToPath } from "node:url"
import { ensureInstalled } from "./install.mjs"
import { sluice } from "./sluice.mjs"

const command = process.argv.slice(2)
if (command.length === 0) {
  process.stderr.write("usage: npm start -- COMMAND [ARG...]\nfor example: npm start -- git log --stat\n")
  process.exit(2)
}

ensureInstalled(fileURLToPath(new URL("..", import.meta.url)))
// Piped input is passed to the command; a terminal is not.
const input = process.stdin.isTTY ? [] : ["--input", "-"]
const journal = (process.env["SLUICE_JOURNAL"] ?? "") === "" ? ["--journal", ".sluice/journal.db"] : []
await sluice(["run", "--window", "lines:50,silence:100", ...journal, ...input, "--", ...command])
