/** Implements the `cp` utility, which copies files and directories. */
import type { Program } from "../System.ts"
import { copyTree } from "./shared/copyTree.ts"
import { resolveTargets } from "./shared/resolveTargets.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `cp [-aRrpfinuvTLPdls] [-t DIRECTORY] SOURCE... TARGET`: copies files and directories. Source: cp(1). */
export const cp: Program = defineUtility(
  "cp",
  "r|recursive R p a|archive f|force i|interactive n|no-clobber u v|verbose t|target-directory: T|no-target-directory " +
    "L|dereference P|no-dereference d H l|link s|symbolic-link preserve:: update:: x parents reflink:: sparse: no-preserve:",
  async (io) => {
    const recursive = io.has("r") || io.has("R") || io.has("a")
    const last = io.lastOf("L", "P", "d", "a", "H")?.[0]
    const options = {
      follow: last === undefined ? !recursive : last === "L",
      force: io.has("f"),
      link: io.has("l") ? "hard" as const : io.has("s") ? "symbolic" as const : undefined,
      noClobber: io.has("n"),
      preserve: io.has("p") || io.has("a") || io.has("preserve"),
      recursive,
      update: io.has("u") || io.has("update"),
      verbose: io.has("v"),
    }
    for (const [from, to] of resolveTargets(io)) await copyTree(io, from, to, options)
  },
)
