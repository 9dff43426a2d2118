/** Makes the Shell service that emits descriptions of commands as output instead of running them. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellOutputChunk } from "../../../command/ShellEvent.ts"
import type { ShellBytes, ShellService } from "../../../shell/ShellService.ts"
import type { Host } from "../../../host/Host.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import { makePlanner } from "../plan/makePlanner.ts"
import { makeDescriber } from "./makeDescriber.ts"
import { knowsPortableShell } from "../../../shell/portableShell.ts"
import { refuseTerminals } from "../../../shell/refuseTerminal.ts"

export const makeDryRun = (host: Host, settings: LocalShellSettings): ShellService => {
  const planner = makePlanner(host, settings)
  const describe = makeDescriber(host, settings, planner)
  return refuseTerminals({
    [knowsPortableShell]: true,
    exec: (exec, options = {}) =>
      Stream.unwrap(Effect.map(describe(exec, options), ({ now, output, text }) => {
        const chunk: ShellOutputChunk = {
          _tag: "ShellOutputChunk",
          commandId: exec.commandId,
          stream: "stdout",
          content: text,
          timestamp: now,
          seq: 0,
        }
        return Stream.fromIterable(exec.streamOutput ? [chunk, output] : [output])
      })),
    bytes: (exec, options = {}) =>
      Stream.unwrap(Effect.map(describe(exec, options), ({ bytes, output }) => {
        const all: ShellBytes = { _tag: "ShellBytes", stream: "stdout", bytes }
        return Stream.fromIterable([all, { ...output, stdout: "" }])
      })),
    files: planner.files,
    // No process is started, so none is left.
    capabilities: planner.capabilities({
      leaf: `dry-run/${host.runtime}`,
      groupKill: "native",
      escapees: true,
      orphans: false,
      isolated: false,
    }, () => false),
  })
}
