/** Implements the `zgrep` utility, which starts `gzip` and `grep` for each file, like gzip's `zgrep`. */
import { Errno } from "../../Errno.ts"
import type { Program } from "../../System.ts"
import { spec, withoutEffect } from "../grep/grep.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { startCommand, waitFor } from "../shared/spawn.ts"

/** The arguments without the files, which are the last operands. */
const withoutFiles = (args: ReadonlyArray<string>, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = [...files]
  return [...args].reverse().filter((arg) => {
    if (left.length === 0 || arg !== left.at(-1)) return true
    left.pop()
    return false
  }).reverse()
}

/** `zgrep [OPTION]... PATTERNS [FILE]...`: `grep` in compressed and other files. Source: zgrep(1). */
export const zgrep: Program = defineUtility("zgrep", spec, async (io) => {
  const recursive = io.lastOf("r", "R")
  if (recursive !== undefined) return io.failUsage(`-${recursive[0]} is not supported`)
  const files = io.has("e") || io.has("f") ? io.operands : io.operands.slice(1)
  if (files.length === io.operands.length && !io.has("e") && !io.has("f")) return io.failUsage("missing pattern")
  const options = withoutFiles(io.system.args.slice(1), files)
  let found = false
  for (const file of files.length === 0 ? ["-"] : files) {
    if (file !== "-") {
      const stat = io.system.stat(file)
      if (typeof stat === "number" || io.isDirectory(file)) {
        io.warn(file, typeof stat === "number" ? stat : -Errno.EISDIR)
        continue
      }
    }
    const names = files.length > 1 && !io.has("h") ? ["-H"] : []
    const code = await searchFile(io, file, [
      ...names,
      `--label=${file === "-" ? "(standard input)" : file}`,
      ...options,
    ])
    if (code === 0) found = true
    else if (code > 1) io.exitCode = 2
    if (found && io.has("q")) return 0
  }
  return io.exitCode === 2 ? 2 : found ? 0 : 1
}, { errorExitCode: 2, withoutEffect })

/** Searches the decompressed content of a file; returns the exit code of `grep`. */
const searchFile = async (io: UtilityIo, file: string, options: ReadonlyArray<string>): Promise<number> => {
  const pipe = io.system.pipe()
  if (typeof pipe === "number") return io.fail("cannot create a pipe", pipe)
  const [read, write] = pipe
  const source = file === "-" ? ["gzip", "-cdfq"] : ["gzip", "-cdfq", "--", file]
  const reader = await startCommand(io, source, { fds: [[0, 0], [1, write], [2, 2]] })
  io.system.close(write)
  const searcher = await startCommand(io, ["grep", ...options], { fds: [[0, read], [1, 1], [2, 2]] })
  io.system.close(read)
  const code = searcher.pid === undefined ? searcher.exitCode : await waitFor(io, searcher.pid)
  if (reader.pid !== undefined) await waitFor(io, reader.pid)
  return code
}
