/** Finds the engine that isolates commands on this machine, by running a real command with it. */
import * as Effect from "effect/Effect"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import type { Host } from "../../host/Host.ts"
import { systemShell } from "../../host/systemShell.ts"
import { adviceFor } from "./advice.ts"
import { bwrapEngine } from "./bwrapEngine.ts"
import type { EngineSettings } from "./EngineSettings.ts"
import type { Walls } from "./enclose.ts"
import { IsolationError } from "./IsolationError.ts"
import type { IsolatedShellSettings, IsolationEngine } from "./IsolatedShellOptions.ts"
import type { IsolationLauncher } from "./launcher.ts"
import type { LaunchFiles } from "./LaunchFiles.ts"
import type { Mount } from "./Mount.ts"
import { probe } from "./probe.ts"
import { seatbeltEngine } from "./seatbeltEngine.ts"
import { findSystemProgram } from "./findSystemProgram.ts"
import { hasFilter } from "./seccomp/makeFilter.ts"
import { unshareEngine } from "./unshareEngine.ts"

const findLauncher = (host: Host, shell: string): IsolationLauncher => {
  const perl = findSystemProgram(host, "perl")
  return perl === undefined ? { kind: "sh", path: shell } : { kind: "perl", path: perl }
}

/** The engines with their walls, or why they have none. */
const candidates = (
  host: Host,
  shared: EngineSettings,
  rootPath: string,
): ReadonlyArray<readonly [IsolationEngine, Walls | string]> => {
  const builtins = nodeBuiltins()
  if (host.os === "darwin") {
    const program = findSystemProgram(host, "sandbox-exec")
    const settings = { program: program ?? "", mounts: shared.mounts, temporary: rootPath }
    return [["sandbox-exec", program === undefined ? "it may not be run" : seatbeltEngine(host, settings)]]
  }
  const [bwrap, unshare, setpriv] = ["bwrap", "unshare", "setpriv"].map((name) => findSystemProgram(host, name))
  const [uid, gid] = [builtins?.getuid?.() ?? 0, builtins?.getgid?.() ?? 0]
  const missing = (name: string): string => `${name} is not installed, or may not be run`
  return [
    ["bwrap", bwrap === undefined ? missing("bwrap") : bwrapEngine(bwrap, shared)],
    [
      "unshare",
      unshare === undefined || setpriv === undefined
        ? missing(unshare === undefined ? "unshare" : "setpriv")
        : unshareEngine({ ...shared, unshare, setpriv, rootPath, uid, gid }),
    ],
  ]
}

export const findIsolationEngine = (
  host: Host,
  settings: IsolatedShellSettings,
  mounts: () => ReadonlyArray<Mount>,
  files: LaunchFiles,
): Effect.Effect<Walls, IsolationError> =>
  Effect.gen(function* () {
    const fail = (attempts: ReadonlyArray<{ readonly engine: string; readonly message: string }>): IsolationError =>
      new IsolationError({ attempts, message: adviceFor(host, attempts) })
    const shell = systemShell(host)
    if ((host.os !== "linux" && host.os !== "darwin") || shell === undefined) {
      const message = shell === undefined ? "sh may not be run" : `there is no engine for ${host.os}`
      return yield* fail([{ engine: "any", message }])
    }
    const arch = nodeBuiltins()?.arch ?? ""
    const launcher = findLauncher(host, shell)
    const filterPath = hasFilter(arch) ? `${files.directory}/filter` : undefined
    const shared = { shell, launcher, arch, mounts, maxTmpBytes: settings.maxTmpBytes, filterPath }
    const hasRelay = launcher.kind === "perl" || findSystemProgram(host, "socat") !== undefined
    const relayProblem = settings.network === "none" || (hasRelay && host.os === "linux")
      ? undefined
      : host.os === "darwin"
      ? "a network by names needs Linux"
      : "no program connects commands to the network: install perl or socat"
    const attempts: Array<{ readonly engine: string; readonly message: string }> = []
    const engines = candidates(host, shared, `${files.directory}/root`)
    if (settings.engine !== undefined && engines.every(([engine]) => engine !== settings.engine)) {
      const [others, system] = [
        engines.map(([engine]) => engine).join(" or "),
        host.os === "darwin" ? "macOS" : "Linux",
      ]
      const message =
        `isolation: ${settings.engine} is not an engine of ${system}: leave the option engine out, or choose ${others}`
      return yield* new IsolationError({ attempts: [], message })
    }
    for (const [engine, walls] of engines) {
      if (settings.engine !== undefined && settings.engine !== engine) continue
      const problem = typeof walls === "string"
        ? walls
        : relayProblem ?? (yield* Effect.promise(() => probe(host, walls, shell, files.directory)))
      if (problem === undefined && typeof walls !== "string") return walls
      attempts.push({ engine, message: problem ?? "" })
    }
    return yield* fail(attempts)
  })
