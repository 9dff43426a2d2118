/** Implements the utilities `whoami`, `id`, `hostname`, `uname`, `which` and `pwd`. */
import type { Program } from "../System.ts"
import { ownerOf } from "../modes.ts"
import { defineUtility } from "./shared/defineUtility.ts"
import { joinPath } from "./shared/paths.ts"

/** `whoami`: prints the name of the only user, from `USER`. Source: whoami(1). */
export const whoami: Program = defineUtility("whoami", "", (io) => {
  io.print(`${ownerOf(io.system.env).user}\n`)
})

/** `id [-ugGn]`: prints the user's numbers. Source: id(1). */
export const id: Program = defineUtility("id", "u|user g|group G|groups n|name r|real", (io) => {
  const { group, user } = ownerOf(io.system.env)
  // Real and effective IDs are the same.
  if ((io.has("n") || io.has("r")) && !["u", "g", "G"].some((option) => io.has(option))) {
    return io.fail("cannot print only names or real IDs in default format")
  }
  const only = io.has("u") ? user : io.has("g") || io.has("G") ? group : undefined
  io.print(
    only === undefined ? `uid=0(${user}) gid=0(${group}) groups=0(${group})\n` : io.has("n") ? `${only}\n` : "0\n",
  )
})

/** `hostname [-s]`: prints the name of the system, from `HOSTNAME`. Source: hostname(1). */
export const hostname: Program = defineUtility("hostname", "s|short", (io) => {
  const name = io.system.env.get("HOSTNAME") ?? "localhost"
  io.print(`${io.has("s") ? name.replace(/\..*/s, "") : name}\n`)
}, { withoutEffect: { "f|fqdn|long": "the name is the whole one" } })

/** `uname [-asnrvmpio]`: prints facts about the system. Source: uname(1). */
export const uname: Program = defineUtility(
  "uname",
  "a|all s|kernel-name n|nodename r|kernel-release v|kernel-version m|machine p|processor i|hardware-platform o|operating-system",
  (io) => {
    const values: ReadonlyArray<readonly [string, string]> = [
      ["s", "Sluice"],
      ["n", io.system.env.get("HOSTNAME") ?? "localhost"],
      ["r", "1"],
      ["v", "process kernel"],
      ["m", "wasm32"],
      ["p", "unknown"],
      ["i", "unknown"],
      ["o", "Sluice"],
    ]
    const shown = values.filter(([name, value]) =>
      io.has(name) || (io.has("a") && value !== "unknown") || (name === "s" && io.options.all.length === 0)
    )
    io.print(`${shown.map(([, value]) => value).join(" ")}\n`)
  },
)

/** `which [-as] NAME...`: prints the paths of programs. Source: which(1). */
export const which: Program = defineUtility("which", "a s", (io) => {
  if (io.operands.length === 0) return 1
  for (const name of io.operands) {
    const folders = name.includes("/") ? [] : (io.system.env.get("PATH") ?? "").split(":")
    const paths = io.has("a") && folders.length > 0 ? folders.map((folder) => joinPath(folder || ".", name)) : [name]
    const found = paths.map((path) => io.system.which(path)).filter((path) => typeof path === "string")
    if (found.length === 0) io.exitCode = 1
    if (!io.has("s")) { for (const path of found) io.print(`${path}\n`) }
  }
  return io.exitCode
})

/** `pwd [-LP]`: prints the working directory; with -L as `PWD` has it, links included. Source: pwd(1). */
export const pwd: Program = defineUtility("pwd", "L|logical P|physical", (io) => {
  const { cwd, env } = io.system
  const logical = env.get("PWD") ?? ""
  const [one, two] = [logical, "."].map((path) => io.system.stat(path))
  const isHere = typeof one === "object" && typeof two === "object" && one.inode === two.inode &&
    one.device === two.device && /^\/(?!.*\/\.{1,2}(?:\/|$))/s.test(logical)
  io.print(`${isHere && io.lastOf("L", "P")?.[0] === "L" ? logical : cwd}\n`)
})
