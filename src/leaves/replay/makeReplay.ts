/** Makes the Shell service that answers commands from recordings. */
import * as Stream from "effect/Stream"
import { OptionError, requireBooleans } from "../../base/OptionError.ts"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { makeCapabilities } from "../../shell/ShellCapabilities.ts"
import type { LeafRunOptions, ShellBytes, ShellService } from "../../shell/ShellService.ts"
import { bytePlayback, type Playback, textPlayback } from "./Playback.ts"
import { playRecording } from "./playRecording.ts"
import type { Recording } from "./Recording.ts"
import { RecordingIndex } from "./RecordingIndex.ts"
import type { ReplaySpeed } from "./ReplayClock.ts"
import { defaultKey } from "./ReplayKey.ts"
import type { ReplayOptions } from "./ReplayOptions.ts"
import { knowsPortableShell } from "../../shell/portableShell.ts"
import { refuseTerminals } from "../../shell/refuseTerminal.ts"

const defaultCapabilities = makeCapabilities({
  leaf: "replay",
  // No process is started, so none is left.
  groupKill: "native",
  escapees: true,
  limits: ["memoryBytes", "cpuSeconds", "processes", "fileSizeBytes"],
  exactOrder: true,
  backPressure: true,
})

const requireSpeed = (speed: ReplaySpeed): ReplaySpeed => {
  if (typeof speed !== "number" || (speed > 0 && speed < Infinity)) return speed
  throw new OptionError("speed", `ReplayShell: speed must be above 0, "recorded" or "max", got ${speed}`)
}

export const makeReplay = (recordings: ReadonlyArray<Recording>, options: ReplayOptions): ShellService => {
  const { capabilities, key = defaultKey, onUnmatched, redactor, repeat = true } = options
  const speed = requireSpeed(options.speed ?? "recorded")
  requireBooleans("ReplayShell", { repeat })
  const index = new RecordingIndex(recordings, { key, redactor, repeat })

  const answer = <Element extends ShellOutputChunk | ShellBytes>(
    exec: ShellExec,
    options: LeafRunOptions,
    playbackOf: (recording: Recording) => Playback<Element>,
    otherwise:
      | ((exec: ShellExec, options: LeafRunOptions) => Stream.Stream<Element | ShellOutput, ShellFault>)
      | undefined,
  ): Stream.Stream<Element | ShellOutput, ShellFault> =>
    Stream.suspend(() => {
      const found = index.take(exec)
      if (!("issue" in found)) return playRecording(found, { exec, options, speed }, playbackOf(found))
      if (otherwise !== undefined) return otherwise(exec, options)
      const reason = { _tag: "Unknown", code: "EUNRECORDED" } as const
      return Stream.fail(ShellFault.because(exec.commandId, reason, `exec: ${found.issue} (EUNRECORDED)`))
    })

  return refuseTerminals({
    [knowsPortableShell]: true,
    exec: (exec, options = {}) =>
      answer(exec, options, ({ exec: recorded }) => textPlayback(exec, recorded), onUnmatched?.exec),
    bytes: (exec, options = {}) => answer(exec, options, () => bytePlayback(exec), onUnmatched?.bytes),
    capabilities: { ...defaultCapabilities, ...capabilities, pty: false },
  })
}
