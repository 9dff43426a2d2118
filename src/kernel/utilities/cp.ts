/** Implements the `cp` utility, which copies files and directories. */
import type { Program } from "../System.ts"
import { mayReplace } from "./shared/confirm.ts"
import { backUp, readBackup } from "./shared/backups.ts"
import { copyTree } from "./shared/copyTree.ts"
import { resolveTargets } from "./shared/resolveTargets.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { dirName, joinPath } from "./shared/paths.ts"
import { stripEnd } from "./shared/strip.ts"

/** `cp [-aRrpfinuvTLPdls] [-t DIRECTORY] SOURCE... TARGET`: copies files and directories. Source: cp(1). */
export const cp: Program = defineUtility(
  "cp",
  "r|recursive R p a|archive f|force i|interactive n|no-clobber u v|verbose t|target-directory: T|no-target-directory " +
    "L|dereference P|no-dereference d H l|link s|symbolic-link preserve:: update:: parents b backup:: S|suffix: reflink::",
  async (io) => {
    const recursive = io.has("r") || io.has("R") || io.has("a")
    const last = io.lastOf("L", "P", "d", "a", "H")?.[0]
    const options = {
      follow: last === undefined ? !recursive : last === "L",
      force: io.has("f"),
      link: io.has("l") ? "hard" as const : io.has("s") ? "symbolic" as const : undefined,
      mayOverwrite: (path: string) => mayReplace(io, path, "overwrite", "n"),
      noClobber: io.lastOf("i", "n")?.[0] === "n",
      preserve: io.has("p") || io.has("a") || io.has("preserve"),
      recursive,
      update: io.has("u") || io.has("update"),
      verbose: io.has("v"),
    }
    if ((io.value("reflink") || "always") === "always" && io.has("reflink")) {
      io.fail("--reflink=always is not supported")
    }
    const backup = readBackup(io)
    for (const [from, to] of io.has("parents") ? resolveParents(io, options.preserve) : resolveTargets(io)) {
      if (backup === undefined || backUp(io, to, backup)) await copyTree(io, from, to, options)
    }
  },
)

/** With --parents a file goes to the directory with its whole path; pairs of source and target. */
const resolveParents = (io: UtilityIo, preserve: boolean): ReadonlyArray<readonly [from: string, to: string]> => {
  const sources = [...io.operands]
  const target = io.value("t") ?? sources.pop() ?? io.failUsage("missing file operand")
  if (!io.isDirectory(target)) io.failUsage("with --parents, the destination must be a directory")
  return sources.map((source) => {
    const bare = stripEnd(source, "/")
    const names = dirName(bare).split("/").filter((name) => name !== "" && name !== ".")
    let [from, to] = [bare.startsWith("/") ? "/" : "", target]
    for (const name of names) {
      from += `${from === "" || from === "/" ? "" : "/"}${name}`
      to = joinPath(to, name)
      const stat = io.system.stat(from)
      if (typeof stat === "number" || io.isDirectory(to)) continue
      io.system.makeDirectory(to, stat.mode)
      if (preserve) io.system.setTimes(to, stat.accessed, stat.modified)
      if (io.has("v")) io.print(`${from} -> ${to}\n`)
    }
    return [source, joinPath(target, bare.replace(/^\/+/, ""))] as const
  })
}
