import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { FaultReason } from "../../src/command/FaultReason.ts"
import { atMost } from "../support/atMost.ts"
import { exitStatusOfBrokenOutput, exitStatusOfFault } from "../../src/cli/exitStatus.ts"
import { BrokenOutputError } from "../../src/cli/ProcessOutput.ts"
import { workshop } from "../support/workshop.ts"
import { sluice, sluiceWords } from "./support.ts"

const reasons: ReadonlyArray<readonly [FaultReason, number]> = [
  [{ _tag: "Timeout", kind: "total", afterMillis: 1 }, 124],
  [{ _tag: "Timeout", kind: "idle", afterMillis: 1 }, 124],
  [{ _tag: "PermissionDenied", path: "/x" }, 126],
  [{ _tag: "NotAllowed", policy: "commands" }, 126],
  [{ _tag: "NotFound", what: "command", path: "x" }, 127],
  [{ _tag: "Throttled", maxConcurrency: 1, maxQueued: 1 }, 75],
  [{ _tag: "Cancelled" }, 130],
  [{ _tag: "InvalidRequest", field: "command" }, 125],
  [{ _tag: "ResourceExhausted", resource: "processes" }, 125],
  [{ _tag: "HostLost", ended: 2 }, 125],
  [{ _tag: "JournalFailed", what: "the request", code: "ENOSPC" }, 125],
  [{ _tag: "Unknown" }, 125],
]

it.each(reasons)("has a status for each reason of a fault: %o is %i", (reason, status) => {
  expect(exitStatusOfFault(reason)).toBe(status)
})

it("is the signal's when a signal cancelled the command", () => {
  const cancelled = { _tag: "Cancelled" } as const
  expect(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => exitStatusOfFault(cancelled, signal))).toEqual([130, 143, 129])
  expect(exitStatusOfFault({ _tag: "Timeout", kind: "total", afterMillis: 1 }, "SIGINT")).toBe(124)
})

it("is SIGPIPE's when the reader has closed the pipe", () => {
  expect(exitStatusOfBrokenOutput(new BrokenOutputError(1, "EPIPE"))).toBe(141)
  expect(exitStatusOfBrokenOutput(new BrokenOutputError(1, "ECONNRESET"))).toBe(141)
  expect(exitStatusOfBrokenOutput(new BrokenOutputError(1, "ENOSPC"))).toBe(125)
})

const script = (text: string): ReadonlyArray<string> => ["--", "sh", "-c", text]

const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, status: number, stderr: string | RegExp]> = [
  [["--", "true"], 0, ""],
  [script("exit 3"), 3, ""],
  [script("exit 255"), 255, ""],
  [script("kill -9 $$"), 137, ""],
  [script("kill -TERM $$"), 143, ""],
  [["--timeout", "150ms", "--", "sleep", "20"], 124, /^exec: sleep did not end within 150ms .*\(TIMEOUT\)\n$/],
  [["--idle-timeout", "150ms", "--", "sleep", "20"], 124, /^exec: sleep wrote nothing for 150ms .*\(TIMEOUT\)\n$/],
  [["--", "/etc/passwd"], 126, /^exec: .*\/etc\/passwd.* \(EACCES\)\n$/],
  [["--", "no-such-program"], 127, "exec: no-such-program not found in PATH (ENOENT)\n"],
  [["--cwd", "/nowhere", "--", "true"], 127, /^exec: .*\/nowhere.* \(ENOENT\)\n$/],
  [["--", ""], 125, /^exec: .*empty.*\n$/],
]

it.effect(
  "is the command's own, or that of a failure reported in one line on stderr",
  () =>
    atMost(3, cases, ([args, status, stderr]) =>
      Effect.map(sluice(["run", ...args]), (result) => {
        expect(result, args.join(" ")).toMatchObject({ status, stdout: "" })
        if (typeof stderr === "string") expect(result.stderr).toBe(stderr)
        else expect(result.stderr).toMatch(stderr)
      })),
)

it.effect.skipIf(process.platform !== "linux")("is 125 when the disk is full", () =>
  Effect.gen(function* () {
    const { write } = yield* workshop
    const sh = write("full.sh", `exec "$@" > /dev/full`)
    const inner = yield* sluice(["run", "--", "sh", sh, ...sluiceWords, "run", "--", "echo", "hi"])
    expect(inner).toMatchObject({ status: 125, stderr: "sluice: cannot write to stdout (ENOSPC)\n" })
  }))
