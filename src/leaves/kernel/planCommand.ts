/** Resolves a command to the program that the kernel starts, and refuses limits that a kernel cannot enforce. */
import * as Result from "effect/Result"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import { reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { JobLimits } from "../../kernel/process/KernelLimits.ts"
import type { Directory } from "../../kernel/OpenFile.ts"
import type { SandboxService } from "../../kernel/sandbox/SandboxService.ts"
import { isPortable } from "../../shell/portableShell.ts"
import { validateExec } from "../../shell/validateExec.ts"
import type { KernelShellSettings } from "./KernelShellOptions.ts"
import { faultOfDirectory, faultOfProgram } from "./kernelFaults.ts"

export interface KernelCommand {
  readonly executable: string
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyMap<string, string>
  readonly directory: Directory
  readonly limits: JobLimits
}

/**
 * The limits that a kernel can enforce for one command: the memory of each WASM program (programs in TypeScript, such
 * as the shell and the utilities, have no memory of their own), and the number of the command's processes.
 */
export const enforcedLimits: ReadonlyArray<keyof CommandLimits> = ["memoryBytes", "processes"]

const pageBytes = 65_536

const refusedLimit = (exec: ShellExec): ShellFault | undefined => {
  const name = Object.keys(exec.limits ?? {}).find((name) => !enforcedLimits.some((known) => known === name))
  return name === undefined ? undefined : ShellFault.because(
    exec.commandId,
    { _tag: "InvalidRequest", field: `limits.${name}`, code: "ENOTSUP" },
    `exec: the limit ${name} cannot be set for one command here: a sandbox has limits of its own (ENOTSUP)`,
  )
}

const limitsOf = ({ limits: { memoryBytes, processes } = {} }: ShellExec): JobLimits => ({
  maxMemoryPages: memoryBytes === undefined ? undefined : Math.floor(memoryBytes / pageBytes),
  maxProcesses: processes,
})

/** Returns the `node_modules/.bin` of a folder and of all its parents, the nearest first. */
const localBins = (folder: string): ReadonlyArray<string> => {
  const names = folder.split("/").filter((name) => name !== "")
  return Array.from({ length: names.length + 1 }, (_, up) => {
    const at = names.slice(0, names.length - up).join("/")
    return `/${at}${at === "" ? "" : "/"}node_modules/.bin`
  })
}

const defaultPath = "/usr/local/bin:/usr/bin:/bin"

const environmentOf = (
  exec: ShellExec,
  directory: Directory,
  sandbox: SandboxService,
  settings: KernelShellSettings,
): ReadonlyMap<string, string> => {
  const inherit = exec.inheritEnvironment ?? settings.extendEnv
  const env = new Map(inherit ? sandbox.origin.env : [])
  for (const [name, value] of Object.entries(exec.environment ?? {})) {
    if (value === null) env.delete(name)
    else env.set(name, reveal(value) ?? "")
  }
  if (exec.localBin ?? settings.localBin) {
    env.set("PATH", [...localBins(directory.path), env.get("PATH") ?? defaultPath].join(":"))
  }
  return env
}

/** Finds the program that a command names; a relative path starts at the sandbox's initial folder. */
const programOf = (
  exec: ShellExec,
  name: string,
  { directory, env }: Pick<KernelCommand, "directory" | "env">,
  sandbox: SandboxService,
): Result.Result<string, ShellFault> => {
  const { fileSystem, kernel } = sandbox
  const from = name.includes("/") ? fileSystem.directory(fileSystem.root, sandbox.origin.cwd) : directory
  if (typeof from === "number") return Result.fail(faultOfDirectory(exec, sandbox.origin.cwd, from))
  const found = kernel.which(name, from, env.get("PATH"))
  if (typeof found === "number") return Result.fail(faultOfProgram(exec, name, found, sandbox))
  if (found.startsWith("/")) return Result.succeed(found)
  const slash = found.lastIndexOf("/")
  const folder = fileSystem.directory(from, found.slice(0, slash + 1))
  // If the folder cannot be resolved, keep the name relative to where it was found.
  const path = typeof folder === "number" ? `${from.path}/${found}` : `${folder.path}/${found.slice(slash + 1)}`
  return Result.succeed(path.replace(/^\/+/, "/"))
}

export const planCommand = (
  exec: ShellExec,
  sandbox: SandboxService,
  settings: KernelShellSettings,
): Result.Result<KernelCommand, ShellFault> =>
  Result.gen(function* () {
    const invalid = validateExec(exec) ?? refusedLimit(exec)
    if (invalid !== undefined) return yield* Result.fail(invalid)
    const { fileSystem, origin } = sandbox
    const base = fileSystem.directory(fileSystem.root, origin.cwd)
    if (typeof base === "number") return yield* Result.fail(faultOfDirectory(exec, origin.cwd, base))
    const wanted = exec.workingDirectory ?? "."
    const directory = fileSystem.directory(base, wanted)
    if (typeof directory === "number") return yield* Result.fail(faultOfDirectory(exec, wanted, directory))
    const env = environmentOf(exec, directory, sandbox, settings)
    const name = isPortable(exec) ? "/bin/sh" : exec.useShell ? settings.defaultShell : exec.command
    const executable = yield* programOf(exec, name, { directory, env }, sandbox)
    const given = exec.arguments.map((word) => reveal(word) ?? "")
    const words = exec.useShell ? ["-c", exec.command, ...(given.length === 0 ? [] : [name, ...given])] : given
    return { executable, args: [name, ...words], env, directory, limits: limitsOf(exec) }
  })
