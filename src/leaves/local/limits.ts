/**
 * Resource limits, set by `prlimit` between fork and exec.
 *
 * Source: prlimit(1), setrlimit(2).
 *
 * @module
 */
import * as Result from "effect/Result"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { Host } from "./Host.ts"
import type { LocalContext, Planned, Program } from "./LocalContext.ts"

const flags: ReadonlyArray<readonly [keyof CommandLimits, string]> = [
  ["memoryBytes", "--as"],
  ["cpuSeconds", "--cpu"],
  ["processes", "--nproc"],
  ["fileSizeBytes", "--fsize"],
]

/** The limits that this host can enforce. */
export const enforceableLimits = (host: Host, prlimit: string | undefined): ReadonlyArray<keyof CommandLimits> =>
  prlimit === undefined
    ? []
    // setrlimit(2): the kernel never counts root's processes against RLIMIT_NPROC.
    : flags.map(([name]) => name).filter((name) => name !== "processes" || host.isRoot() === false)

/** At the hard limit of processor time the kernel kills without a word: SIGXCPU comes at the soft one, a second before. */
const valueOf = (name: keyof CommandLimits, value: number): string =>
  name === "cpuSeconds" ? `${value}:${value + 1}` : String(value)

/** The limits of a command: its own, none above those of the leaf. */
export const limitsOf = ({ limits: own = {} }: ShellExec, most: CommandLimits = {}): CommandLimits => {
  const limits: { -readonly [K in keyof CommandLimits]: CommandLimits[K] } = {}
  for (const [name] of flags) {
    const least = Math.min(own[name] ?? Infinity, most[name] ?? Infinity)
    if (least !== Infinity) limits[name] = least
  }
  return limits
}

/** Puts `prlimit` before a program; refuses a limit that cannot be enforced. */
export const limited = (
  exec: ShellExec,
  program: Program,
  { host, prlimit, settings: { limits: most } }: LocalContext,
): Planned<Program> => {
  const limits = limitsOf(exec, most)
  const wanted = flags.filter(([name]) => limits[name] !== undefined)
  const [first] = wanted
  if (first === undefined) return Result.succeed(program)
  const refuse = (name: string, why: string): Planned<Program> =>
    Result.fail(ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: `limits.${name}`, code: "ENOTSUP" },
      `exec: the limit ${name} cannot be enforced ${why} (ENOTSUP)`,
    ))
  if (prlimit === undefined) return refuse(first[0], "here: there is no prlimit, or it may not be run")
  const can = enforceableLimits(host, prlimit)
  const cannot = wanted.find(([name]) => !can.includes(name))
  if (cannot !== undefined) return refuse(cannot[0], "for root: run as another user")
  const words = wanted.map(([name, flag]) => `${flag}=${valueOf(name, limits[name] ?? 0)}`)
  return Result.succeed({ file: prlimit, args: [...words, "--", program.file, ...program.args], verbatim: false })
}
