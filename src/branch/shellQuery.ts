/**
 * Reads the host, machine, boot and PID namespace, and the state and start of a process, with a `sh` script.
 *
 * Source: uname(1), kill(1), ps(1), sysctl(8), ioreg(8), pid_namespaces(7).
 */
import { hashMachineId, type HostFacts, parseProcStat, parsePs } from "./hostFacts.ts"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"
import { type Deno, isGranted } from "./runtimeProcess.ts"

/** Prints each fact on a line of its own, after its name. */
const script = `say() { printf '%s %s\\n' "$1" "$2"; }
say host "$(uname -n)"
say machine "$(cat /etc/machine-id 2>/dev/null || ioreg -rd1 -c IOPlatformExpertDevice 2>/dev/null | grep UUID)"
say kill "$(kill -0 "$1" 2>&1)"
if [ -r /proc/self/stat ]; then
  say boot "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)"
  say namespace "$(readlink /proc/self/ns/pid 2>/dev/null)"
  say stat "$(cat "/proc/$1/stat" 2>/dev/null)"
else
  say boot "$(sysctl -n kern.bootsessionuuid 2>/dev/null)"
  say namespace none
  say ps "$(ps -o state=,lstart= -p "$1" 2>/dev/null)"
fi`

export const parseScriptOutput = (text: string): HostFacts => {
  const facts = new Map<string, string>()
  for (const line of text.split("\n")) {
    const [name = ""] = line.split(" ", 1)
    if (!facts.has(name)) facts.set(name, line.slice(name.length + 1).trim())
  }
  const fact = (name: string): string => facts.get(name) ?? ""
  return {
    host: fact("host"),
    machine: hashMachineId(fact("machine")),
    bootId: fact("boot"),
    pidNamespace: fact("namespace"),
    process: parseProcStat(fact("stat")) ?? parsePs(fact("ps")) ??
      { state: /no such process/i.test(fact("kill")) ? "gone" : "hidden", start: "" },
  }
}

const helperMillis = 5_000

/** `ps` formats times by these variables. */
const helperEnvironment = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin:/usr/sbin:/sbin" }

export type ShellQuery = (pid: number, signal: AbortSignal | undefined) => Promise<string>

/** Makes the query; `undefined` where `sh` may not be run. */
export const makeShellQuery = (process: NodeBuiltins, deno: Deno | undefined): ShellQuery | undefined => {
  // For Deno, `--allow-run=sh` permits only the program that PATH leads to.
  const shell = ["/bin/sh", "/usr/bin/sh", "sh"].find((name) => isGranted(deno, "run", { command: name }))
  if (shell === undefined) return undefined
  const argsFor = (pid: number): ReadonlyArray<string> => ["-c", script, "sh", String(pid)]
  if (deno !== undefined) {
    // Deno's node:child_process would also need permission to read the environment.
    return async (pid, signal) => {
      const { stdout } = await new deno.Command(shell, {
        args: argsFor(pid),
        env: helperEnvironment,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
        signal: AbortSignal.any([AbortSignal.timeout(helperMillis), ...(signal === undefined ? [] : [signal])]),
      }).output()
      return new TextDecoder().decode(stdout)
    }
  }
  const { execFile } = process.getBuiltinModule("node:child_process")
  return (pid, signal) =>
    new Promise((resolve) => {
      execFile(
        shell,
        argsFor(pid),
        { env: helperEnvironment, timeout: helperMillis, encoding: "utf8", ...(signal && { signal }) },
        (_error, stdout) => resolve(stdout),
      )
    })
}
