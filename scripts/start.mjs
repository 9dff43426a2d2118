/**
 * `npm start -- COMMAND [ARG...]`: installs when that was not done yet, then runs the command by Sluice, its output in
 * windows of fifty lines, or of what there is after a tenth of a second of silence. It is journaled in `.sluice/journal.db`
 * unless SLUICE_JOURNAL names another: `npm run -s sluice -- journal list` shows what was run.
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
// What is piped in goes on to the command; a terminal stays with whoever sits before it.
const input = process.stdin.isTTY ? [] : ["--input", "-"]
const journal = (process.env["SLUICE_JOURNAL"] ?? "") === "" ? ["--journal", ".sluice/journal.db"] : []
await sluice(["run", "--window", "lines:50,silence:100", ...journal, ...input, "--", ...command])
