/** Implements the `mkdir` utility, which creates directories. */
import { yieldNow } from "../Coroutine.ts"
import { Errno } from "../Errno.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { changeMode } from "../modes.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/** Makes a directory: `name` leads there from the working directory, `path` from where the utility started. */
const make = (io: UtilityIo, name: string, path: string, mode?: number): number => {
  const result = io.system.makeDirectory(name)
  if (result < 0) return result
  if (io.has("v")) io.print(`mkdir: created directory '${path}'\n`)
  if (mode !== undefined) io.system.setMode(name, mode)
  return 0
}

/** Makes a directory and its missing parents, entering each: resolving every prefix is quadratic in the depth. */
const makeWithParents = async (io: UtilityIo, given: string, mode?: number): Promise<number> => {
  const { system } = io
  if (system.stat(given) === -Errno.ENAMETOOLONG) return -Errno.ENAMETOOLONG
  const path = given.replace(/\/+$/, "")
  let name = ""
  for (const { 0: next, index } of path.matchAll(/[^/]+/g)) {
    const entered = name === "" ? 0 : system.changeDirectory(name)
    if (entered < 0) return entered
    const end = index + next.length
    // The first one may begin at the root.
    name = name === "" ? path.slice(0, end) : next
    const last = end === path.length
    const result = make(io, name, path.slice(0, end), last ? mode : undefined)
    if (result < 0 && result !== -Errno.EEXIST) return result
    const stat = result < 0 && last ? system.stat(name) : undefined
    if (typeof stat === "object" && stat.type !== FileType.directory) return result
    await yieldNow(system)
  }
  return 0
}

/** `mkdir [-pv] [-m MODE] DIRECTORY...`: creates directories. Source: mkdir(1). */
export const mkdir: Program = defineUtility("mkdir", "p|parents m|mode: v|verbose", async (io) => {
  const { system } = io
  const text = io.value("m")
  const mode = text === undefined ? undefined : changeMode(text, 0o777, true, system.umask())
  if (text !== undefined && mode === undefined) return io.fail(`invalid mode ‘${text}’`)
  const start = system.cwd
  for (const path of io.operands) {
    const back = system.cwd === start ? 0 : system.changeDirectory(start)
    if (back < 0) io.fail("cannot return to the working directory", back)
    const result = io.has("p") ? await makeWithParents(io, path, mode) : make(io, path, path, mode)
    if (result < 0) io.warn(`cannot create directory ‘${path}’`, result)
  }
}, { minOperands: 1 })
