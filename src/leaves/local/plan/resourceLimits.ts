/**
 * Enforces resource limits of a command and its leaf by starting it through `prlimit`; lists those that a host can
 * enforce, and refuses the others.
 *
 * Source: prlimit(1), setrlimit(2).
 */
import * as Result from "effect/Result"
import type { CommandLimits } from "../../../command/CommandLimits.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { ShellFault } from "../../../command/plain/ShellFault.ts"
import type { Host } from "../../../host/Host.ts"
import type { LocalContext, PlanResult, Program } from "./LocalContext.ts"

const flags: ReadonlyArray<readonly [keyof CommandLimits, string]> = [
  ["memoryBytes", "--as"],
  ["cpuSeconds", "--cpu"],
  ["processes", "--nproc"],
  ["fileSizeBytes", "--fsize"],
]

export const enforceableLimits = (host: Host, prlimit: string | undefined): ReadonlyArray<keyof CommandLimits> =>
  prlimit === undefined
    ? []
    // setrlimit(2): the kernel never counts root's processes against RLIMIT_NPROC.
    : flags.map(([name]) => name).filter((name) => name !== "processes" || host.isRoot() === false)

/** Formats a limit. At the soft limit of CPU time the kernel sends SIGXCPU, at the hard one, a second later, SIGKILL. */
const valueOf = (name: keyof CommandLimits, value: number): string =>
  name === "cpuSeconds" ? `${value}:${value + 1}` : String(value)

/** Combines the limits of a command and of its leaf: the lower ones apply. */
const effectiveLimits = ({ limits: own = {} }: ShellExec, leaf: CommandLimits = {}): CommandLimits => {
  const limits: { -readonly [K in keyof CommandLimits]: CommandLimits[K] } = {}
  for (const [name] of flags) {
    const lower = Math.min(own[name] ?? Infinity, leaf[name] ?? Infinity)
    if (lower !== Infinity) limits[name] = lower
  }
  return limits
}

/** Wraps a program in `prlimit`; refuses a limit that cannot be enforced. */
export const withLimits = (
  exec: ShellExec,
  program: Program,
  { host, prlimit, settings: { limits: leafLimits } }: LocalContext,
): PlanResult<Program> => {
  if (exec.limits === undefined && leafLimits === undefined) return Result.succeed(program)
  const limits = effectiveLimits(exec, leafLimits)
  const wanted = flags.filter(([name]) => limits[name] !== undefined)
  const [first] = wanted
  if (first === undefined) return Result.succeed(program)
  const refuse = (name: string, why: string): PlanResult<Program> =>
    Result.fail(ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: `limits.${name}`, code: "ENOTSUP" },
      `exec: the limit ${name} cannot be enforced ${why} (ENOTSUP)`,
    ))
  if (prlimit === undefined) return refuse(first[0], "here: prlimit is missing, or this process may not run it")
  const enforceable = enforceableLimits(host, prlimit)
  const refused = wanted.find(([name]) => !enforceable.includes(name))
  if (refused !== undefined) return refuse(refused[0], "for root: run as another user")
  const words = wanted.map(([name, flag]) => `${flag}=${valueOf(name, limits[name] ?? 0)}`)
  return Result.succeed({ file: prlimit, args: [...words, "--", program.file, ...program.args], verbatim: false })
}
