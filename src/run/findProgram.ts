/** Finds the file of a program by the rules that the commands of a runner follow. */
import * as Result from "effect/Result"
import type { ShellExecOptions } from "../command/ShellExec.ts"
import { childEnvironment, childVariable } from "../host/environment.ts"
import type { Host } from "../host/Host.ts"
import { localBinDirectories, resolveExecutable } from "../host/resolveExecutable.ts"
import { toAbsolute } from "../host/paths.ts"

/** The absolute path of a program; `undefined` if it is not found or PATH cannot be read. */
export const findProgram = (host: Host, name: string, options: ShellExecOptions): string | undefined => {
  const { cwd = ".", env, extendEnv, localBin = false } = options
  const platform = host.os === "windows" ? "windows" : "posix"
  const here = host.cwd() ?? "/"
  const environment = childEnvironment({
    platform,
    parent: host.variable,
    inherit: extendEnv,
    entries: env,
    pathFirst: localBin ? localBinDirectories(platform, toAbsolute(platform, here, cwd)) : undefined,
  })
  if (Result.isFailure(environment)) return undefined
  const delta = environment.success
  const found = resolveExecutable({
    platform,
    name,
    directory: here,
    environment: (variable) => childVariable(platform, delta, host.variable, variable),
    probe: host,
  })
  return found._tag === "Found" ? found.path : undefined
}
