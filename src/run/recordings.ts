/** Records commands into a file of JSON lines, and answers commands from it. */
import * as Stream from "effect/Stream"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import * as MockRun from "../leaves/mock/MockRun.ts"
import { formatCommandLine } from "../shell/formatCommandLine.ts"
import { defaultMaxOutputBytes, encodingOf } from "../shell/OutputSink.ts"
import type { ByteWriter } from "../shell/SpawnedProcess.ts"
import { secretsOf } from "./secretsOf.ts"
import type { RunShell } from "./Stage.ts"
import type { MockResult } from "./StandIn.ts"
import { StdoutReceiver } from "./StdoutReceiver.ts"
import { tee } from "./tee.ts"

interface Recorded {
  readonly line: string
  readonly cwd?: string | undefined
  readonly stdout: string
  readonly stderr: string
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly fault?: { readonly reason: FaultReason; readonly message: string } | undefined
}

/** Texts that distinguish recordings: the same command in another directory has its own recording. */
const keyOf = ({ cwd = "", line }: Pick<Recorded, "cwd" | "line">): string => `${cwd}\n${line}`

/** The steps of a command that writes its outputs and ends. */
export const stepsOf = (
  { exitCode, fault, signal, stderr = "", stdout = "" }: MockResult & Pick<Recorded, "fault">,
): ReadonlyArray<MockRun.MockStep> => [
  ...(stdout === "" ? [] : [MockRun.stdout(stdout)]),
  ...(stderr === "" ? [] : [MockRun.stderr(stderr)]),
  fault !== undefined
    ? MockRun.fail(fault.reason, fault.message)
    : signal === undefined
    ? MockRun.exit(exitCode)
    : MockRun.exitBy(signal),
]

/**
 * Answers from the text of a file, whose name is for messages. A command that was recorded several times gets its recordings
 * in their order.
 */
export const recordedRuns = (text: string, file: string): (exec: ShellExec) => MockRun.MockRun => {
  const recorded = Map.groupBy(
    text.split("\n").filter((line) => line !== "").map((line): Recorded => JSON.parse(line)),
    keyOf,
  )
  return (exec) => {
    const { workingDirectory: cwd } = exec
    const line = formatCommandLine(exec)
    const recordings = recorded.get(keyOf({ cwd, line }))
    const next = recordings?.shift()
    if (next !== undefined) return stepsOf(next)
    const named = cwd === undefined ? line : `${line} in ${cwd}`
    const issue = recordings === undefined ? "is not recorded in" : "ran more often than it is recorded in"
    return MockRun.fail(
      { _tag: "Unknown", code: "EUNRECORDED" },
      `exec: ${named} ${issue} ${file}; delete the file, or run once with mode "record" to record it again (EUNRECORDED)`,
    )
  }
}

/** A shell that runs commands on another one, and adds each to a file when it ends, without its secrets. */
export const recordingShell = (shell: RunShell, add: (line: string) => void): RunShell => ({
  exec: (exec, options = {}) => {
    const kept = { stdout: "", stderr: "" }
    const receivers = (["stdout", "stderr"] as const).map((name) => {
      const to = options[name]
      const receiver = new StdoutReceiver(exec.maxOutputBytes ?? defaultMaxOutputBytes, encodingOf(exec))
      return { name, receiver, wire: to === undefined ? undefined : { [name]: tee(receiver, to) } }
    })
    const wires: { readonly stdout?: ByteWriter; readonly stderr?: ByteWriter } = Object.assign(
      {},
      ...receivers.map(({ wire }) => wire),
    )
    const record = <A extends ShellOutput | ShellFault>(end: A): A => {
      const textOf = (name: "stdout" | "stderr"): string =>
        Redactor.secrets(secretsOf([exec])).text(
          kept[name] + end[name] +
            receivers.map((each) => each.name === name ? each.receiver.text().text : "").join(""),
        )
      const how = end._tag === "ShellOutput"
        ? { exitCode: end.exitCode, signal: end.signal }
        : { fault: { reason: end.reason, message: end.message } }
      const entry: Recorded = {
        line: formatCommandLine(exec),
        cwd: exec.workingDirectory,
        stdout: textOf("stdout"),
        stderr: textOf("stderr"),
        ...how,
      }
      add(`${JSON.stringify(entry)}\n`)
      return end
    }
    const onEvent = <A extends ShellOutputChunk | ShellOutput>(event: A): A => {
      if (event._tag === "ShellOutput") record(event)
      else kept[event.stream] += event.content
      return event
    }
    return shell.exec(exec, { ...options, ...wires }).pipe(Stream.map(onEvent), Stream.mapError(record))
  },
})
