import { expect, it } from "@effect/vitest"
import { ShellExec, type ShellExecOptions } from "@sluice/shell"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { canonicalJson } from "../../src/base/canonicalJson.ts"
import { ComputeBranch } from "../../src/compute/ComputeBranch.ts"
import { encodePlainBody } from "../../src/compute/encodePlainBody.ts"
import { RecordedOutput } from "../../src/compute/RunEnd.ts"

const plain: ReadonlyArray<ShellExecOptions> = [
  {},
  { commandId: "c-1", cwd: "/tmp", extendEnv: false, streamOutput: false },
  { encoding: "latin1", input: "über\0\ud800", maxOutputBytes: 7, onHostLoss: "rerun", localBin: true },
]

const others: ReadonlyArray<ShellExecOptions> = [
  { env: { A: "1", B: null, S: Redacted.make("secret") } },
  { timeout: "3 seconds", idleTimeout: 7, grace: 0 },
  { input: new Uint8Array([1, 2, 255]) },
  { input: Redacted.make("secret", { label: "key" }) },
  { limits: { processes: 3 } },
]

const encode = Schema.encodeSync(ShellExec)

it("encodes any command as its Schema would", () => {
  for (const options of [...plain, ...others]) {
    const exec = ShellExec.make("echo", ["a b", "é"], { commandId: "c", ...options })
    expect(ComputeBranch.request.encode(exec), JSON.stringify(options)).toEqual(encode(exec))
  }
  const secret = ShellExec.make("echo", [Redacted.make("secret")])
  expect(ComputeBranch.request.encode(secret)).toEqual(encode(secret))
  expect(JSON.stringify(ComputeBranch.request.encode(secret))).not.toContain("secret")
})

it("uses the Schema only for values that differ from their encoding", () => {
  for (const options of plain) expect(encodePlainBody(ShellExec.make("echo", [], options))).toBeDefined()
  for (const options of others) expect(encodePlainBody(ShellExec.make("echo", [], options))).toBeUndefined()
  expect(encodePlainBody(ShellExec.make("echo", [Redacted.make("secret")]))).toBeUndefined()
})

const output: typeof RecordedOutput.Type = {
  _tag: "ShellOutput",
  commandId: "c",
  exitCode: 143,
  signal: "SIGTERM",
  fromSeq: 0,
  outputEntries: 1,
  toSeq: 2,
  duration: 1.25,
  completed: 7,
  drain: "eof",
  executable: "/bin/echo",
  stdoutBytes: 3,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
}

it("encodes an output as its Schema would, with its keys in canonical order", () => {
  const stages = [{ commandId: "c.1", command: "a", exitCode: 1 }, { commandId: "c.2", command: "b", exitCode: 0 }]
  for (const event of [output, { ...output, stages }]) {
    const body = ComputeBranch.event.encode(event)
    expect(body).toEqual(Schema.encodeSync(RecordedOutput)(event))
  }
  expect(JSON.stringify(encodePlainBody(output))).toBe(canonicalJson({ ...output }))
})
