import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { faultOf, type Part, run, sh, startMillis, whole } from "./target.ts"

export const times: Part = (test, { can }) => {
  test("ends a command at its timeout, and faults with its output so far", () =>
    Effect.gen(function* () {
      const script = "echo out; echo err >&2; printf part; sleep 20; echo never"
      for (const streamOutput of [true, false]) {
        const fault = yield* faultOf(sh(script, { timeout: startMillis(can, 600), streamOutput }))
        expect(fault.reason).toEqual({ _tag: "Timeout", kind: "total", afterMillis: startMillis(can, 600) })
        expect(fault).toMatchObject({ stdout: "out\npart", stdoutBytes: 8, stdoutBytesOmitted: 0 })
        expect(fault).toMatchObject({ stderr: "err\n", stderrBytes: 4, stderrBytesOmitted: 0 })
        expect(fault.message).toMatch(/^exec: .* \(TIMEOUT\)$/)
        expect(fault.executable).toMatch(/sh(?:\.exe)?$/)
      }
    }))

  test("applies the leaf's timeout to a command without one", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(sh("sleep 20"))
      expect(fault.reason).toEqual({ _tag: "Timeout", kind: "total", afterMillis: 200 })
      expect((yield* whole(sh("sleep 0.4", { timeout: "20 seconds" }))).exitCode).toBe(0)
    }), { timeout: "200 millis" })

  test("ends a command at its idle timeout, however long it has run", () =>
    Effect.gen(function* () {
      const busy = yield* run(
        sh("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.2; done", { idleTimeout: startMillis(can, 1_200) }),
      )
      expect(busy.output.exitCode).toBe(0)
      // Silence is sure after 128 turns of the event loop, which took 20 s on a machine with five times its load.
      const fault = yield* faultOf(sh("echo 1 >&2; sleep 100", { idleTimeout: startMillis(can, 300) }))
      expect(fault.reason).toEqual({ _tag: "Timeout", kind: "idle", afterMillis: startMillis(can, 300) })
      expect(fault.stderr).toBe("1\n")
    }))

  if (can.signals !== false) {
    test("reads all output that a command writes during its grace period", () =>
      Effect.gen(function* () {
        // More than a pipe holds: it ends only if it is read to the end.
        const script = "trap 'head -c 300000 /dev/zero | tr \"\\0\" x; echo bye; exit 0' TERM; " +
          "echo up; while :; do sleep 0.05; done"
        const fault = yield* faultOf(
          sh(script, { timeout: startMillis(can, 400), grace: "10 seconds", streamOutput: false }),
        )
        expect(fault.reason._tag).toBe("Timeout")
        expect(fault.stdout).toBe(`up\n${"x".repeat(300_000)}bye\n`)
      }))
  }

  test("kills a command that ignores SIGTERM after its grace period", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(sh("trap '' TERM; echo up; while :; do sleep 0.05; done", {
        timeout: startMillis(can, 300),
        grace: "200 millis",
      }))
      expect(fault.reason._tag).toBe("Timeout")
      expect(fault.stdout).toBe("up\n")
    }))

  // A timer of the runtimes holds 2^31 - 1 ms at the most, and fires at once when it is given more.
  test("works with a timeout of years", () =>
    Effect.gen(function* () {
      expect((yield* whole(sh("sleep 0.1; echo ok", { timeout: "1000 days", idleTimeout: "1000 days" }))).stdout)
        .toBe("ok\n")
    }))
}
