/** Implements the `chmod` utility, which changes the permissions of files and directory trees. */
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { changeMode, formatMode } from "../modes.ts"
import { defineUtility } from "./shared/defineUtility.ts"
import { walk } from "./shared/walk.ts"

/** Protects a mode such as `-x` from being parsed as an option. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.findIndex((arg) => /^-[rwxXst]+(,.*)?$/.test(arg))
  return at < 0 || args.slice(0, at).some((arg) => arg[0] !== "-" || arg === "--")
    ? args
    : [...args.slice(0, at), "--", ...args.slice(at)]
}

/** `chmod [-Rcvf] [--reference=FILE] MODE FILE...`: changes permissions. Source: chmod(1). */
export const chmod: Program = defineUtility(
  "chmod",
  "R|recursive c|changes v|verbose f|silent|quiet reference:",
  async (io) => {
    const { system } = io
    const paths = [...io.operands]
    const reference = io.value("reference")
    const like = reference === undefined ? undefined : system.stat(reference)
    if (typeof like === "number") return io.fail(`failed to get attributes of '${reference ?? ""}'`, like)
    const text = like === undefined ? paths.shift() : like.mode.toString(8)
    if (text === undefined) return io.failMissingOperand()
    if (paths.length === 0) return io.failUsage(`missing operand after ‘${text}’`)
    if (changeMode(text, 0, false, 0) === undefined) return io.failUsage(`invalid mode: ‘${text}’`)
    const change = (path: string): void => {
      const stat = system.stat(path)
      const fail = (message: string, errno: number): void => {
        if (!io.has("f")) return io.warn(message, errno)
        io.exitCode = 1
      }
      if (typeof stat === "number") return fail(`cannot access '${path}'`, stat)
      const mode = changeMode(text, stat.mode, stat.type === FileType.directory, system.umask()) ?? stat.mode
      const result = system.setMode(path, mode)
      if (result < 0) return fail(`changing permissions of '${path}'`, result)
      const octal = (bits: number): string => bits.toString(8).padStart(4, "0")
      const shown = (bits: number): string => `${octal(bits)} (${formatMode({ ...stat, mode: bits }).slice(1)})`
      if (mode !== stat.mode) {
        if (io.has("v") || io.has("c")) {
          io.print(`mode of '${path}' changed from ${shown(stat.mode)} to ${shown(mode)}\n`)
        }
      } else if (io.has("v")) io.print(`mode of '${path}' retained as ${shown(mode)}\n`)
    }
    for (const path of paths) {
      if (!io.has("R")) change(path)
      else {for await (const entry of walk(io, path, {})) {
          if (entry.stat.type !== FileType.symbolicLink) change(entry.path)
        }}
    }
  },
  { rewriteArgs },
)
