/** Values that the golden files of wire version 1 encode, in their order. Later versions must decode the files to them. */
import * as Redacted from "effect/Redacted"
import type { FaultReason } from "../../../../src/command/FaultReason.ts"
import type { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "../../../../src/command/ShellEvent.ts"
import { ShellExec } from "../../../../src/command/ShellExec.ts"
import type {
  CommandAccepted,
  CommandInfo,
  CommandPage,
  Health,
  InputTaken,
  Problem,
} from "../../../../src/wire/mod.ts"
import { type ShellEvent, ShellFault } from "../../../../src/command/ShellFault.ts"

const commandId = "018f3b1c-9e00-7000-8000-0123456789ab"

const chunk: ShellOutputChunk = {
  _tag: "ShellOutputChunk",
  commandId,
  stream: "stdout",
  content: "hello\n",
  timestamp: 1_700_000_000_000,
  seq: 0,
}

const window: ShellOutputWindow = {
  _tag: "Window",
  commandId,
  stream: "both",
  content: "one\ntwo\n",
  fromSeq: 3,
  toSeq: 7,
  fromTime: 1_700_000_000_000,
  toTime: 1_700_000_000_250,
}

const output: ShellOutput = {
  _tag: "ShellOutput",
  commandId,
  exitCode: 0,
  stdout: "",
  stderr: "",
  duration: 12.5,
  completed: 1_700_000_001_000,
  drain: "eof",
  executable: "/usr/bin/git",
  stdoutBytes: 6,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
}

/** Every reason, with all of its fields and with the fewest. */
export const reasons: ReadonlyArray<FaultReason> = [
  { _tag: "NotFound", what: "command", path: "no-such-program", code: "ENOENT" },
  { _tag: "NotFound", what: "workingDirectory", path: "/nowhere", code: "ENOTDIR" },
  { _tag: "NotFound", what: "interpreter", path: "/bin/no-such-shell" },
  { _tag: "PermissionDenied", path: "/etc/shadow", code: "EACCES" },
  { _tag: "PermissionDenied", path: "/usr/bin/git" },
  { _tag: "NotAllowed", policy: "commands", value: "rm" },
  { _tag: "NotAllowed", policy: "workingDirectory" },
  { _tag: "InvalidRequest", field: "arguments", code: "E2BIG" },
  { _tag: "InvalidRequest", field: "command" },
  { _tag: "Timeout", kind: "total", afterMillis: 5000 },
  { _tag: "Timeout", kind: "idle", afterMillis: 1500 },
  { _tag: "Timeout", kind: "queue", afterMillis: 0.5 },
  { _tag: "Cancelled", by: "client" },
  { _tag: "Cancelled" },
  { _tag: "Throttled", maxConcurrency: 4, maxQueued: 16 },
  { _tag: "ResourceExhausted", resource: "file descriptors", code: "EMFILE" },
  { _tag: "ResourceExhausted", resource: "memory" },
  { _tag: "HostLost", host: "build-7", pid: 4711, ended: 3 },
  { _tag: "HostLost", ended: 0 },
  { _tag: "HostLost" },
  { _tag: "JournalFailed", what: "its chunks", code: "ENOSPC" },
  { _tag: "JournalFailed", what: "the request" },
  { _tag: "Unknown", code: "EIO" },
  { _tag: "Unknown" },
]

/** Every kind of event. */
export const events: ReadonlyArray<ShellEvent> = [
  chunk,
  { ...chunk, stream: "stderr", content: 'tab\t "quoted" \\ \r\n\u0000\u001b[31m\u2028é€😀\n', seq: 1 },
  { ...chunk, commandId: 'a"\\b', content: "lone \ud83d surrogate", seq: 2 },
  window,
  { ...window, stream: "stdout", fromSeq: 0, toSeq: 0, content: "" },
  { ...window, stream: "stderr" },
  output,
  {
    ...output,
    exitCode: 143,
    signal: "SIGTERM",
    stdout: "out\n",
    stderr: "err\n",
    drain: "cut",
    stdoutBytesOmitted: 2,
    stderrBytesOmitted: 1,
    stages: [
      { commandId: "stage-1", command: "yes", exitCode: 141, signal: "SIGPIPE" },
      { commandId: "stage-2", command: "head", exitCode: 0 },
    ],
  },
  ...reasons.map((reason) => ShellFault.because(commandId, reason, `exec: ${reason._tag}`)),
  ShellFault.because(commandId, { _tag: "Timeout", kind: "total", afterMillis: 500 }, "exec: timed out after 500 ms", {
    stdout: "partial\n",
    stderr: "warning\n",
    stdoutBytes: 8,
    stderrBytes: 8,
    stdoutBytesOmitted: 1,
    stderrBytesOmitted: 2,
    executable: "/usr/bin/sleep",
    exception: "Error: timed out",
  }),
  ShellFault.because(commandId, { _tag: "Cancelled", by: "signal" }, "exec: sleep was cancelled (CANCELLED)", {
    survivors: [4_711, 4_712],
  }),
]

/** What must not be found in any encoding. */
export const secretText = "correct-horse-battery-staple"

/** Commands with the fewest fields, and with all of them. */
export const execs: ReadonlyArray<ShellExec> = [
  ShellExec.make("git", ["status"], { commandId }),
  ShellExec.shell("ls | wc -l", { commandId, input: "text é\n", streamOutput: false }),
  ShellExec.make("curl", ["-H", Redacted.make(secretText, { label: "header" }), Redacted.make(secretText)], {
    commandId,
    cwd: "/srv",
    env: { LANG: "C", TOKEN: Redacted.make(secretText), HTTP_PROXY: null },
    extendEnv: false,
    timeout: "5 seconds",
    idleTimeout: "1500 millis",
    grace: 250.5,
    streamOutput: false,
    mergeStreams: true,
    localBin: true,
    encoding: "utf-16le",
    input: Uint8Array.of(0, 1, 127, 128, 255),
    maxOutputBytes: 1024,
    limits: { memoryBytes: 536_870_912, cpuSeconds: 10, processes: 64, fileSizeBytes: 1_073_741_824 },
  }),
  ShellExec.make("cat", [], { commandId, input: Redacted.make(secretText, { label: "password" }) }),
  ShellExec.make("sync", [], { commandId, onHostLoss: "rerun" }),
  ShellExec.make("sync", [], { commandId, onHostLoss: "fault" }),
]

const info: CommandInfo = {
  commandId,
  position: 7,
  state: "exited",
  exitCode: 143,
  signal: "SIGTERM",
  requested: 1_700_000_000_000,
  ended: 1_700_000_001_000,
  durationMillis: 998.5,
  stdoutBytes: 6,
  stderrBytes: 0,
  attempts: 1,
  line: "git status",
  command: "git",
  arguments: ["status", { _tag: "Redacted", label: "header" }, { _tag: "Redacted" }],
  useShell: false,
  workingDirectory: "/srv",
  executable: "/usr/bin/git",
  user: "build",
  host: "build-7",
  pid: 4_711,
  stdin: "closed",
}

/** One value of each answer of the server, by the name of its Schema. */
export const answers: {
  readonly CommandInfo: CommandInfo
  readonly CommandPage: CommandPage
  readonly CommandAccepted: CommandAccepted
  readonly InputTaken: InputTaken
  readonly Health: Health
  readonly Problem: Problem
} = {
  CommandInfo: info,
  CommandPage: {
    commands: [
      info,
      {
        commandId: "c",
        position: 3,
        state: "faulted",
        reason: "NotFound",
        message: "exec: no x",
        requested: 1,
        attempts: 0,
        line: "x",
      },
    ],
    next: "3",
    head: "9",
  },
  CommandAccepted: {
    commandId,
    links: { command: "/commands/c", events: "/commands/c/events", input: "/commands/c/input" },
  },
  InputTaken: { commandId, taken: 4, stdin: "open" },
  Health: { status: "draining" },
  Problem: {
    type: "urn:sluice:request:invalid",
    title: "Invalid request",
    status: 400,
    detail: "no command",
    commandId,
    errors: [{ pointer: "#/command", detail: "missing" }],
  },
}
