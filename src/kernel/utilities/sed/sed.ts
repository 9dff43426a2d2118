/** Implements the `sed` utility. */
import { runCoroutine } from "../../Coroutine.ts"
import type { Program } from "../../System.ts"
import { textToBinary } from "../../binaryString.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { defineUtility } from "../shared/defineUtility.ts"
import { runScript } from "./runScript.ts"
import { EditedFiles } from "./EditedFiles.ts"
import { parseScript } from "./parseScript.ts"
import { ScriptError } from "./ScriptReader.ts"
import type { Script } from "./Script.ts"

/**
 * `sed [-nEsz] [-i[SUFFIX]] [-e SCRIPT]... [-f FILE]... [SCRIPT] [FILE]...`: edits a stream. Source: sed(1).
 */
export const sed: Program = defineUtility(
  "sed",
  "n|quiet|silent e|expression: f|file: E|regexp-extended r i|in-place:: s|separate z|null-data " +
    "l|line-length:",
  async (io) => {
    const operands = [...io.operands]
    const parts: Array<string> = []
    for (const [name, value] of io.options.all) {
      if (name === "e") parts.push(textToBinary(value))
      if (name !== "f") continue
      const input = io.openInput(value)
      if (input === undefined) return 1
      const lines: Array<string> = []
      await io.forEachLine([input], (line) => void lines.push(line))
      input.close()
      // A text that ends with the file is an empty line.
      const isOpen = /(?:^|[^\\])(?:\\\\)*\\$/.test(lines.at(-1) ?? "") && input.terminated
      parts.push(lines.join("\n") + (isOpen ? "\n" : ""))
    }
    if (parts.length === 0) {
      const script = operands.shift()
      if (script === undefined) return io.failUsage("no script specified")
      parts.push(textToBinary(script))
    }
    const utf8 = isUtf8Locale(io.system.env)
    const text = parts.join("\n")
    let script: Script
    try {
      script = await runCoroutine(io.system, parseScript(text, { extended: io.has("E") || io.has("r"), utf8 }))
    } catch (cause) {
      if (!(cause instanceof ScriptError)) throw cause
      io.printError(cause.message)
      return cause.exitCode
    }
    const quiet = io.has("n") || text === "#n" || text.startsWith("#n\n")
    const files = new EditedFiles(io, operands)
    let exitCode: number
    try {
      exitCode = await runScript(io, script, files, { quiet, utf8 })
      await files.end()
    } finally {
      files.abandon()
    }
    return exitCode || (io.exitCode === 0 ? 0 : 2)
  },
  { withoutEffect: { "u|unbuffered": "output is written before each wait", "b|binary": "files are bytes" } },
)
