/** Provides the shared parts of real and dry runs: the context of each run, file lookups and capabilities. */
import type { ShellExec } from "../../../command/ShellExec.ts"
import type { LeafFiles, SpawnConstraints } from "../../../shell/LeafFiles.ts"
import type { ShellCapabilities } from "../../../shell/ShellCapabilities.ts"
import type { Host } from "../../../host/Host.ts"
import { leafFiles } from "./leafFiles.ts"
import type { LocalContext } from "./LocalContext.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import { makeResolver } from "./makeResolver.ts"
import { enforceableLimits } from "./resourceLimits.ts"
import { markerName, nestedMarker, newMarker } from "../../../host/runMarker.ts"
import { hasSystemShell, systemShell } from "../../../host/systemShell.ts"
import { withInheritedVariables } from "./withInheritedVariables.ts"

/** Planning that a leaf's real runs and dry runs share. */
export interface LocalPlanner {
  readonly contextOf: (exec: ShellExec, constraints: SpawnConstraints | undefined) => LocalContext
  readonly files: LeafFiles
  /** Completes the capabilities of the leaf. Limits and terminals are looked for when they are read. */
  readonly capabilities: (
    known: Pick<ShellCapabilities, "leaf" | "groupKill" | "escapees" | "orphans" | "isolated">,
    hasTerminals: () => boolean,
  ) => ShellCapabilities
}

const findPrlimit = (host: Host): string | undefined =>
  host.os === "linux"
    ? ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => host.fileKind(path) === "executable" && host.mayRun(path))
    : undefined

/** Makes the planner of a leaf on a host. `watchdogMarker`: text in the environment of all its processes. */
export const makePlanner = (host: Host, settings: LocalShellSettings, watchdogMarker?: string): LocalPlanner => {
  const resolve = makeResolver()
  const shell = systemShell(host)
  const platform = host.os === "windows" ? "windows" : "posix"
  let found: { readonly prlimit: string | undefined } | undefined
  const outerMarker = (): string | undefined => {
    const outer = host.variable(markerName)
    return watchdogMarker === undefined ? outer : nestedMarker(outer, watchdogMarker)
  }
  const prlimit = (): string | undefined => (found ??= { prlimit: findPrlimit(host) }).prlimit
  return {
    contextOf: (exec, constraints) => ({
      host: constraints?.inherits === undefined ? host : withInheritedVariables(host, constraints.inherits),
      settings,
      platform,
      resolve,
      nowMillis: performance.now(),
      marker: newMarker(exec.commandId, host.pid),
      outerMarker: outerMarker(),
      shell,
      prlimit: exec.limits === undefined && settings.limits === undefined ? undefined : prlimit(),
    }),
    files: leafFiles(host, settings, platform),
    capabilities: (known, hasTerminals) => ({
      ...known,
      platform,
      get limits() {
        return enforceableLimits(host, prlimit())
      },
      get exactOrder() {
        return platform === "windows" || hasSystemShell(host)
      },
      get pty() {
        return hasTerminals()
      },
      backPressure: true,
      resolvesPath: host.fileKind("/") === "directory",
    }),
  }
}
