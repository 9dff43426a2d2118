/** Implements the utilities `whoami`, `id`, `hostname`, `uname`, `which` and `pwd`. */
import type { Program } from "../System.ts"
import { ownerOf } from "../modes.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `whoami`: prints the name of the only user, from `USER`. Source: whoami(1). */
export const whoami: Program = defineUtility("whoami", "", (io) => {
  io.print(`${ownerOf(io.system.env).user}\n`)
})

/** `id [-ugGn]`: prints the user's numbers. Source: id(1). */
export const id: Program = defineUtility("id", "u|user g|group G|groups n|name r|real", (io) => {
  const { group, user } = ownerOf(io.system.env)
  const only = io.has("u") ? user : io.has("g") || io.has("G") ? group : undefined
  io.print(
    only === undefined ? `uid=0(${user}) gid=0(${group}) groups=0(${group})\n` : io.has("n") ? `${only}\n` : "0\n",
  )
})

/** `hostname`: prints the name of the system, from `HOSTNAME`. Source: hostname(1). */
export const hostname: Program = defineUtility("hostname", "s|short f|fqdn", (io) => {
  io.print(`${io.system.env.get("HOSTNAME") ?? "localhost"}\n`)
})

/** `uname [-asnrvmo]`: prints facts about the system. Source: uname(1). */
export const uname: Program = defineUtility(
  "uname",
  "a|all s|kernel-name n|nodename r|kernel-release v|kernel-version m|machine p i o|operating-system",
  (io) => {
    const values: ReadonlyArray<readonly [string, string]> = [
      ["s", "Sluice"],
      ["n", io.system.env.get("HOSTNAME") ?? "localhost"],
      ["r", "1"],
      ["v", "process kernel"],
      ["m", "wasm32"],
      ["o", "Sluice"],
    ]
    const shown = values.filter(([name]) =>
      io.has("a") || io.has(name) || (name === "s" && io.options.all.length === 0)
    )
    io.print(`${shown.map(([, value]) => value).join(" ")}\n`)
  },
)

/** `which [-as] NAME...`: prints the paths of programs. Source: which(1). */
export const which: Program = defineUtility("which", "a s", (io) => {
  if (io.operands.length === 0) return 1
  for (const name of io.operands) {
    const path = io.system.which(name)
    if (typeof path === "number") io.exitCode = 1
    else if (!io.has("s")) io.print(`${path}\n`)
  }
  return io.exitCode
})

/** `pwd [-LP]`: prints the working directory. Source: pwd(1). */
export const pwd: Program = defineUtility("pwd", "L P", (io) => {
  io.print(`${io.system.cwd}\n`)
})
