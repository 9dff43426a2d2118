/**
 * The Shell service that runs nothing.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../../../command/ShellEvent.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { noOutput, type ShellFault } from "../../../command/ShellFault.ts"
import { cancelledFault } from "../../../shell/admitCommand.ts"
import { makeShellOutput } from "../../../shell/makeShellOutput.ts"
import type { LeafRunOptions, ShellBytes, ShellService } from "../../../shell/ShellService.ts"
import type { Host } from "../Host.ts"
import { enforceableLimits } from "../limits.ts"
import { leafFiles } from "../leafFiles.ts"
import { planCommand } from "../LocalCommand.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import { findPrlimit } from "../makeLocalShell.ts"
import { makeResolver } from "../resolve-cache.ts"
import { newMarker } from "../runMarker.ts"
import { faultOfSpawnError, scriptInterpreter } from "../spawnError.ts"
import { systemShell } from "../systemShell.ts"
import { describe } from "./describe.ts"

const encoder = new TextEncoder()

/** What a command would do, and how it would have ended. */
interface Answer {
  readonly text: string
  readonly bytes: Uint8Array
  readonly now: number
  readonly output: ShellOutput
}

/** Makes the service that tells what the local leaf of these settings would run on this host. */
export const makeDryRun = (host: Host, settings: LocalShellSettings): ShellService => {
  const resolve = makeResolver()
  const shell = systemShell(host)
  const platform = host.os === "windows" ? "windows" : "posix"
  const prlimit = findPrlimit(host)

  /** A script whose interpreter is not there: known from its first line, before anybody executes it. */
  const interpreterFault = (exec: ShellExec, executable: string): ShellFault | undefined => {
    if (platform === "windows" || exec.mergeStreams === true || exec.limits !== undefined) return undefined
    const head = host.readHead(executable, 256)
    const interpreter = head === undefined ? undefined : scriptInterpreter(new TextDecoder("latin1").decode(head))
    if (interpreter === undefined || !interpreter.startsWith("/") || host.fileKind(interpreter) !== "none") {
      return undefined
    }
    return faultOfSpawnError({ code: "ENOENT" }, { exec, executable, executableIs: "executable", interpreter })
  }

  const answer = (exec: ShellExec, options: LeafRunOptions): Effect.Effect<Answer, ShellFault> =>
    Effect.gen(function* () {
      if (options.signal?.aborted === true) return yield* Effect.fail(cancelledFault(exec))
      const context = {
        host,
        settings,
        platform,
        resolve,
        nowMillis: performance.now(),
        marker: newMarker(exec.commandId, host.pid),
        shell,
        prlimit,
      } as const
      const stdin = options.stdin !== undefined ? "stream" : exec.input !== undefined ? "input" : "closed"
      const planned = planCommand(exec, stdin !== "closed", context, options.constraints)
      if (Result.isFailure(planned)) return yield* Effect.fail(planned.failure)
      const { executable, request } = planned.success
      const fault = interpreterFault(exec, executable)
      if (fault !== undefined) return yield* Effect.fail(fault)
      const directory = request.cwd ?? host.cwd()
      const text = describe({ exec, executable, platform, settings, directory, stdin })
      const bytes = encoder.encode(text)
      const now = yield* Clock.currentTimeMillis
      // A pipeline starts its next stage when this one has been started, and that one waits for the end of its input.
      options.onSpawn?.({ pid: undefined, executable })
      void options.stdout?.end()
      const captured = { ...noOutput, stdout: exec.streamOutput ? "" : text, stdoutBytes: bytes.length }
      const how = { executable, duration: 0, completed: now, drain: "eof" } as const
      return { text, bytes, now, output: makeShellOutput(exec, { exitCode: 0 }, captured, how) }
    })

  return {
    exec: (exec, options = {}) =>
      Stream.unwrap(Effect.map(answer(exec, options), ({ now, output, text }) => {
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
      Stream.unwrap(Effect.map(answer(exec, options), ({ bytes, output }) => {
        const all: ShellBytes = { _tag: "ShellBytes", stream: "stdout", bytes }
        return Stream.fromIterable([all, { ...output, stdout: "" }])
      })),
    files: leafFiles(host, settings, platform),
    capabilities: {
      leaf: `dry-run/${host.runtime}`,
      platform,
      // Nothing is started, so nothing is left.
      groupKill: "native",
      escapees: true,
      orphans: false,
      limits: enforceableLimits(host, prlimit),
      exactOrder: platform === "windows" || shell !== undefined,
      pty: false,
      backPressure: true,
      resolvesPath: host.fileKind("/") === "directory",
    },
  }
}
