/** A shell whose runs the tests write themselves, and requests to the route. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../../src/command/ShellEvent.ts"
import type { ShellExec } from "../../src/command/ShellExec.ts"
import type { ShellFault } from "../../src/command/ShellFault.ts"
import type { ProblemDetails } from "../../src/http/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"

export type Run = Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>

export const serviceOf = (run: (exec: ShellExec) => Run): Shell["Service"] => ({
  exec: run,
  bytes: () => Stream.die(new Error("not used here")),
  capabilities: {
    leaf: "test",
    platform: "posix",
    groupKill: "none",
    escapees: false,
    orphans: false,
    limits: [],
    exactOrder: false,
    pty: false,
    isolated: false,
    backPressure: true,
    resolvesPath: false,
  },
})

/** A shell that runs every command as `run` says. */
export const contextOf = (run: (exec: ShellExec) => Run): Context.Context<Shell> => Context.make(Shell, serviceOf(run))

export const chunk = (commandId: string, seq: number, content = `line ${seq}\n`): ShellOutputChunk => ({
  _tag: "ShellOutputChunk",
  commandId,
  stream: "stdout",
  content,
  timestamp: 1_700_000_000_000 + seq,
  seq,
})

export const output = (commandId: string, stdout = ""): ShellOutput => ({
  _tag: "ShellOutput",
  commandId,
  exitCode: 0,
  stdout,
  stderr: "",
  duration: 1,
  completed: 1_700_000_001_000,
  drain: "eof",
  executable: "/bin/test",
  stdoutBytes: stdout.length,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
})

export const token = "a-token-for-tests"

/** A request to run a command: JSON unless `init` says otherwise. */
export const post = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): RequestInit => ({
  method: "POST",
  headers: { "authorization": `Bearer ${token}`, "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
  ...(signal === undefined ? undefined : { signal }),
})

interface ProblemBody extends Omit<ProblemDetails, "fault"> {
  readonly fault?: unknown
}

const Problem: Schema.Codec<ProblemBody> = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  commandId: Schema.optionalKey(Schema.String),
  fault: Schema.optionalKey(Schema.Unknown),
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ pointer: Schema.String, detail: Schema.String }))),
})

/** The problem that a response must be. */
export const problemOf = async (response: Response): Promise<ProblemBody> => {
  const type = response.headers.get("content-type")
  if (type !== "application/problem+json") throw new Error(`not a problem: ${response.status} ${type}`)
  const problem = Schema.decodeUnknownSync(Problem, { onExcessProperty: "error" })(await response.json())
  if (problem.status !== response.status) throw new Error("the problem says another status than the response")
  return problem
}
