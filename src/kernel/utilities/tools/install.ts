/** Implements the `install` utility. */
import { Errno } from "../../Errno.ts"
import { changeMode } from "../../modes.ts"
import type { Program } from "../../System.ts"
import { copyTree } from "../shared/copyTree.ts"
import { resolveTargets } from "../shared/resolveTargets.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { dirName } from "../shared/paths.ts"

/**
 * `install [-Dpv] [-m MODE] [-t DIRECTORY] SOURCE... TARGET`, `install -d DIRECTORY...`: copies files and sets modes.
 * Source: install(1).
 */
export const install: Program = defineUtility(
  "install",
  "b d|directory D m|mode: p|preserve-timestamps t|target-directory: T|no-target-directory v|verbose C|compare",
  async (io) => {
    if (io.has("b") || io.has("C")) io.fail("options -b and -C are not supported")
    const text = io.value("m") ?? "755"
    const mode = changeMode(text, 0, io.has("d"), 0) ?? io.fail(`invalid mode '${text}'`)
    if (io.has("d")) {
      if (io.operands.length === 0) io.failUsage("missing file operand")
      for (const path of io.operands) makeDirectories(io, path, mode)
      return
    }
    const directory = io.value("t")
    const last = io.operands.at(-1)
    if (io.has("D") && last !== undefined) makeDirectories(io, directory ?? dirName(last), 0o755)
    for (const [from, to] of resolveTargets(io)) {
      if (io.isDirectory(from)) {
        io.warn(`omitting directory '${from}'`)
        continue
      }
      // Creates a new file, so that other names of the old one keep their content.
      if (!io.isDirectory(to)) io.system.unlink(to)
      if (!await copyTree(io, from, to, { follow: true, verbose: io.has("v") })) continue
      io.system.setMode(to, mode)
      const stat = io.system.stat(from)
      if (io.has("p") && typeof stat === "object") io.system.setTimes(to, stat.accessed, stat.modified)
    }
  },
  { withoutEffect: { c: "files are always copied" } },
)

/** Makes a directory and those above it; only the last one gets the mode. */
const makeDirectories = (io: UtilityIo, path: string, mode: number): void => {
  const { system } = io
  if (io.isDirectory(path)) {
    if (io.has("d")) system.setMode(path, mode)
    return
  }
  if (dirName(path) !== path) makeDirectories(io, dirName(path), 0o755)
  const made = system.makeDirectory(path, 0o777)
  if (made < 0 && made !== -Errno.EEXIST) return io.warn(`cannot create directory ‘${path}’`, made)
  if (io.has("d")) system.setMode(path, mode)
  if (io.has("v")) io.print(`install: creating directory '${path}'\n`)
}
