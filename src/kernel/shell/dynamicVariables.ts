/** Defines the shell variables whose values are computed on each read, such as `RANDOM` and `LINENO`. */
import { readInteger } from "../../base/integers.ts"
import { optionNames, shoptNames } from "./shellOptions.ts"
import type { Shell } from "./Shell.ts"
import type { DynamicVariable } from "./Variables.ts"
import { bashVersion, machineType } from "./version.ts"

const second = 1_000_000_000n

/** Bash's generator, so that a seed gives the same numbers. */
const nextRandom = (seed: number): number => {
  const state = seed === 0 ? 123_459_876 : seed
  const next = 16_807 * (state % 127_773) - 2_836 * Math.trunc(state / 127_773)
  return next < 0 ? next + 0x7fff_ffff : next
}

export const dynamicVariables = (shell: Shell): ReadonlyArray<readonly [string, DynamicVariable]> => {
  let seed: number | undefined
  let last = 0
  const random32 = (): number => {
    const bytes = new Uint8Array(4)
    shell.system.random(bytes)
    return new DataView(bytes.buffer).getUint32(0)
  }
  return [
    ["RANDOM", {
      get: () => {
        do {
          seed = nextRandom(seed ?? random32())
        } while ((((seed >>> 16) ^ (seed & 0xffff)) & 0x7fff) === last)
        last = ((seed >>> 16) ^ (seed & 0xffff)) & 0x7fff
        return String(last)
      },
      set: (value) => {
        seed = Number(BigInt.asUintN(32, readInteger(value) ?? 0n))
        last = 0
      },
    }],
    ["SRANDOM", { get: () => String(random32()) }],
    ["SECONDS", {
      get: () => String((shell.system.monotonic() - shell.startedAt) / second),
      set: (value) => {
        shell.startedAt = shell.system.monotonic() - (readInteger(value) ?? 0n) * second
      },
    }],
    ["EPOCHSECONDS", { get: () => String(shell.system.now() / second) }],
    ["EPOCHREALTIME", {
      get: () => `${shell.system.now() / second}.${String(shell.system.now() % second / 1000n).padStart(6, "0")}`,
    }],
    ["LINENO", { get: () => String(shell.line), set: () => {} }],
    ["BASHPID", { get: () => String(shell.system.pid) }],
    ["PPID", { get: () => String(shell.system.parent), letters: "ir" }],
    // The kernel has one user, with all permissions.
    ["UID", { get: () => "0", letters: "ir" }],
    ["EUID", { get: () => "0", letters: "ir" }],
    ["GROUPS", { get: () => ["0"] }],
    ["BASH_VERSINFO", { get: () => [...bashVersion, machineType], letters: "ar" }],
    ["SHELLOPTS", { get: () => optionNames.filter((name) => shell.hasOption(name)).join(":"), letters: "r" }],
    ["BASHOPTS", { get: () => shoptNames.filter((name) => shell.hasOption(name)).join(":"), letters: "r" }],
    ["BASH_ARGV0", { get: () => shell.name, set: (value) => shell.name = value }],
    ["DIRSTACK", { get: () => [shell.variables.get("PWD") ?? shell.system.cwd, ...shell.directoryStack] }],
    ["BASH_SUBSHELL", { get: () => String(shell.subshellDepth), set: () => {} }],
    ["BASH_COMMAND", { get: () => shell.commandText, set: () => {} }],
    ["PIPESTATUS", { get: () => shell.pipeStatus.map(String), set: () => {} }],
    ["FUNCNAME", { get: () => shell.functionDepth === 0 ? [] : shell.calls.map(({ name }) => name), set: () => {} }],
    ["BASH_SOURCE", { get: () => shell.calls.map(({ source }) => source), set: () => {} }],
    ["BASH_LINENO", { get: () => shell.calls.map(({ line }) => String(line)), set: () => {} }],
    ["_", { get: () => shell.lastArgument, set: () => {} }],
  ]
}
