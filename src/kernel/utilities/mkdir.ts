/** Implements the `mkdir` utility, which creates directories. */
import { Errno } from "../Errno.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { changeMode } from "./shared/modes.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `mkdir [-pv] [-m MODE] DIRECTORY...`: creates directories. Source: mkdir(1).
 *
 * @example
 * ```ts
 * import { Sandbox, Utilities } from "@sluice/shell/sandbox"
 *
 * await using sandbox = await Sandbox.open({ programs: { mkdir: Utilities.mkdir } })
 * const { stdout } = await sandbox.run("mkdir -p a/b; ls a")
 * console.assert(stdout === "b\n")
 * ```
 *
 * @stability stable
 */
export const mkdir: Program = defineUtility("mkdir", "p|parents m|mode: v|verbose Z", (io) => {
  const { system } = io
  if (io.operands.length === 0) return io.failMissingOperand()
  const text = io.value("m")
  const mode = text === undefined ? undefined : changeMode(text, 0o777, true, system.umask())
  if (text !== undefined && mode === undefined) return io.fail(`invalid mode ‘${text}’`)
  for (const path of io.operands) {
    const parts = path.split("/")
    const from = io.has("p") ? 1 : parts.length
    let result = 0
    for (let count = from; count <= parts.length; count++) {
      const part = parts.slice(0, count).join("/")
      if (part === "" || (count > 1 && parts[count - 1] === "" && io.has("p"))) continue
      result = system.makeDirectory(part)
      if (result === -Errno.EEXIST && io.has("p")) {
        const stat = system.stat(part)
        if (typeof stat === "number" || stat.type === FileType.directory) result = 0
        else result = count < parts.length ? -Errno.ENOTDIR : result
      } else if (result === 0) {
        if (io.has("v")) io.print(`mkdir: created directory '${part}'\n`)
        if (mode !== undefined && count === parts.length) system.setMode(part, mode)
      }
      if (result < 0) break
    }
    if (result < 0) io.warn(`cannot create directory ‘${path}’`, result)
  }
})
